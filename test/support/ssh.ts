// Runs an sshd of its own on 127.0.0.1 for tests, with a host key, a user key and a configuration of ssh in a temporary
// folder. The configuration and the keys of the user that runs the tests are not touched.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { temporaryFolder } from "./folder.ts";
import { freePort } from "./free_port.ts";

const sshd = ["/usr/sbin/sshd", "/usr/local/sbin/sshd", "/usr/bin/sshd"].find((file) => existsSync(file));
const find = (program: string): string | undefined =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file));
const ssh = find("ssh");

/** Whether sshd, ssh and ssh-keygen are installed; otherwise the tests that need them are skipped. */
export const canConnect = sshd !== undefined && ssh !== undefined && find("ssh-keygen") !== undefined;

export interface SshServer {
  /** The name of this machine in ssh's configuration, which has its address, its port and the key. */
  name: string;
  /** A name with a port at which nobody listens. */
  closedName: string;
  /** Lets the key run one command only; undefined lets it run any. */
  allowOnly(command: string | undefined): void;
  /** What sshd has logged. */
  log(): string;
  /** Ends sshd, and removes its keys. */
  stop(): Promise<void>;
}

/** Makes the two keys, and the files that sshd and ssh read. */
function writeFiles(folder: string, port: number): void {
  for (const name of ["host", "user"]) {
    const made = spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, name)]);
    if (made.status !== 0) throw new Error(`ssh-keygen failed: ${made.stderr}`);
  }
  copyFileSync(join(folder, "user.pub"), join(folder, "authorized_keys"));
  const hostKey = readFileSync(join(folder, "host.pub"), "utf8");
  writeFileSync(join(folder, "known_hosts"), `[127.0.0.1]:${port} ${hostKey}`);
  writeFileSync(
    join(folder, "sshd_config"),
    `ListenAddress 127.0.0.1:${port}
HostKey ${folder}/host
AuthorizedKeysFile ${folder}/authorized_keys
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
`, // StrictModes would refuse a folder below /tmp
  );
  writeFileSync(
    join(folder, "ssh_config"),
    `Host box
  Port ${port}
Host box-closed
  Port 1
Host box box-closed
  HostName 127.0.0.1
  User ${userInfo().username}
  IdentityFile ${folder}/user
  IdentitiesOnly yes
  UserKnownHostsFile ${folder}/known_hosts
  BatchMode yes
`,
  );
}

/**
 * Puts an `ssh` that reads the configuration of the folder first in the PATH: ssh looks for the user's in the user's
 * home only.
 */
function replaceSsh(folder: string): () => void {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "ssh"), `#!/bin/sh\nexec '${ssh}' -F '${folder}/ssh_config' "$@"\n`);
  chmodSync(join(bin, "ssh"), 0o755);
  const before = process.env.PATH;
  process.env.PATH = `${bin}${delimiter}${before}`;
  return () => {
    process.env.PATH = before;
  };
}

/** Starts sshd, and makes `ssh` of this process and its children reach it by `name`. Whoever starts it must stop it. */
export async function startSshServer(): Promise<SshServer> {
  const [folder, port] = [temporaryFolder(), await freePort()];
  writeFiles(folder, port);
  // An sshd of root needs this directory, which Debian's service makes.
  if (process.getuid?.() === 0) spawnSync("mkdir", ["-p", "-m", "755", "/run/sshd"]);
  const child = spawn(sshd as string, ["-D", "-e", "-f", join(folder, "sshd_config")], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  let log = "";
  const listening = new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      log += `${line}\n`;
      if (line.startsWith("Server listening on")) resolve();
    });
    child.on("error", reject);
    child.on("close", () => reject(new Error(`sshd ended: ${log}`)));
  });
  await listening;
  const putBack = replaceSsh(folder);
  return {
    name: "box",
    closedName: "box-closed",
    allowOnly(command) {
      const key = readFileSync(join(folder, "user.pub"), "utf8");
      const options = command === undefined ? "" : `restrict,command="${command}" `;
      writeFileSync(join(folder, "authorized_keys"), options + key);
    },
    log: () => log,
    async stop() {
      putBack();
      child.kill();
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}
