// The scene bundle as a team would write it with any framework: a query for each part, assembled in JavaScript. The
// benchmark's reference; it uses only the database file of this server.
import { createHash } from "node:crypto";
import Database from "better-sqlite3";

interface Key {
  production_id: number;
  engagement_id: number | null;
  scopes: string;
}
type Row = Record<string, unknown>;
interface Node extends Row {
  id: number;
  kind: string;
  department_id: number | null;
}

const inList = (ids: readonly unknown[]): string => JSON.stringify(ids);

/** Opens the database for reading; returns the two functions that a route needs. */
export function openAssembled(folder: string) {
  const database = new Database(`${folder}/tallylight.db`, { readonly: true });
  const query = (sql: string) => database.prepare(sql);
  const keys = query(
    "SELECT production_id, engagement_id, scopes FROM api_keys WHERE token_sha256 = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)",
  );
  const grants = query(
    `SELECT g.verb, g.node_id, g.department_id, g.delivery_id FROM grants g JOIN engagements e ON e.id = g.engagement_id
     WHERE g.engagement_id = :engagement_id AND g.revoked_at IS NULL AND (g.expires_at IS NULL OR g.expires_at > :now)
       AND (e.ended_at IS NULL OR e.ended_at > :now)`,
  );
  const scenes = query(
    `SELECT n.id, n.status, s.number, s.slugline, s.synopsis, s.revision_color, s.elements, s.episode_id, e.code
     FROM nodes n JOIN scenes s ON s.node_id = n.id LEFT JOIN episodes e ON e.id = s.episode_id WHERE n.production_id = ? AND n.id = ?`,
  );
  const assets = query(
    `SELECT n.id, n.label, n.kind, n.status, n.department_id FROM node_links l JOIN nodes n ON n.id = l.to_node_id
     WHERE l.from_node_id = ? AND n.kind <> 'scene' ORDER BY n.id`,
  );
  const versions = query(
    `SELECT v.*, m.path, m.id AS media_id,
       (SELECT note.place FROM notes note WHERE note.node_id = v.node_id AND note.version_id = v.id AND note.text = v.note
        ORDER BY note.placed_at DESC, note.id DESC LIMIT 1) AS note_place
     FROM versions v LEFT JOIN media m ON m.version_id = v.id
     WHERE v.node_id IN (SELECT value FROM json_each(?)) AND v.released = 1 ORDER BY v.version`,
  );
  const days = query(
    `SELECT d.id, d.day_number, d.date, d.status, d.general_call FROM strips s JOIN shoot_days d ON d.id = s.shoot_day_id
     WHERE s.node_id = ? ORDER BY d.day_number`,
  );
  const deliveries = query("SELECT delivery_id FROM delivery_nodes WHERE node_id = ?").pluck();
  const approvals = query(
    `SELECT id, title, status, mode, due, version_id FROM approvals
     WHERE node_id IN (SELECT value FROM json_each(?)) OR delivery_id IN (SELECT value FROM json_each(?)) ORDER BY id`,
  );
  const notes = query(
    `SELECT n.id, n.node_id, d.slug AS department, n.summary, n.created_at, n.department_id
     FROM department_notes n JOIN departments d ON d.id = n.department_id WHERE n.node_id = ? ORDER BY n.id`,
  );

  function authenticate(authorization: string | undefined): Key | undefined {
    const token = /^Bearer (\S+)$/.exec(authorization ?? "")?.[1];
    if (token === undefined) return undefined;
    const sha256 = createHash("sha256").update(token).digest("hex");
    const key = keys.get(sha256, new Date().toISOString()) as Key | undefined;
    return key !== undefined && (JSON.parse(key.scopes) as string[]).includes("read") ? key : undefined;
  }

  function reachOf({ engagement_id }: Key) {
    if (engagement_id === null) return { node: () => true, department: () => true, delivery: () => true };
    const nodes = new Set<unknown>();
    const departments = new Set<unknown>();
    const reached = new Set<unknown>();
    for (const grant of grants.all({ engagement_id, now: new Date().toISOString() }) as Row[]) {
      if (grant.delivery_id !== null) reached.add(grant.delivery_id);
      else if (grant.verb === "read")
        (grant.node_id === null ? departments : nodes).add(grant.node_id ?? grant.department_id);
    }
    return {
      node: (node: Node) => nodes.has(node.id) || (node.kind !== "scene" && departments.has(node.department_id)),
      department: (id: unknown) => departments.has(id),
      delivery: (id: unknown) => reached.has(id),
    };
  }

  function versionsByNode(nodes: readonly Node[]): Map<unknown, Row[]> {
    const byNode = new Map<unknown, Row[]>(nodes.map(({ id }) => [id, []]));
    for (const v of versions.all(inList(nodes.map(({ id }) => id))) as Row[])
      byNode.get(v.node_id)?.push({
        id: v.id,
        version: v.version,
        variant: v.variant,
        status: v.status,
        note: v.note,
        // a CHECK of the table says that it is JSON
        note_place: v.note_place === null ? null : JSON.parse(v.note_place as string),
        media_path: v.path,
        media_id: v.media_id,
        created_by: v.created_by,
        created_by_person_id: v.created_by_person_id,
        archived: v.archived === 1,
        created_at: v.created_at,
        released: true,
      });
    return byNode;
  }

  function sceneBundle(key: Key, node_id: number): { body: string; etag: string } | undefined {
    const scene = scenes.get(key.production_id, node_id) as Row | undefined;
    const reach = reachOf(key);
    if (scene === undefined || !reach.node({ id: node_id, kind: "scene", department_id: null })) return undefined;
    const linked = (assets.all(node_id) as Node[]).filter(reach.node);
    const released = versionsByNode(linked);
    const gates = [node_id, ...linked.map(({ id }) => id)];
    const document: Row = {
      version: 1,
      scene: {
        node_id: scene.id,
        number: scene.number,
        slugline: scene.slugline,
        ...(scene.synopsis === null ? {} : { synopsis: scene.synopsis }),
        status: scene.status,
        revision_color: scene.revision_color,
        elements: JSON.parse(scene.elements as string),
        ...(scene.episode_id === null ? {} : { episode_id: scene.episode_id, episode_code: scene.code }),
      },
      assets: linked.map(({ id, label, kind, status }) => ({
        node_id: id,
        label,
        kind,
        status,
        released_versions: released.get(id),
      })),
      shoot_days: days.all(node_id),
      approvals: approvals.all(inList(gates), inList(deliveries.all(node_id).filter(reach.delivery))),
      department_notes: (notes.all(node_id) as Row[])
        .filter((note) => reach.department(note.department_id))
        .map(({ department_id: _, ...note }) => note),
    };
    const etag = `"${createHash("sha256").update(JSON.stringify(document)).digest("hex").slice(0, 32)}"`;
    return { body: JSON.stringify({ ...document, etag }), etag };
  }

  return { authenticate, sceneBundle };
}
