// The forms of a page, as a person without JavaScript fills them.

/** A field that a person fills, or what a form has sent besides. */
interface PageField {
  name: string;
  /** Its tag, or the type of an input. */
  kind: string;
  value: string;
  /** Whether a box is checked. */
  checked: boolean;
  /** The values of a menu. */
  choices: readonly string[];
}

export interface PageForm {
  /** Where it is sent. */
  to: string;
  multipart: boolean;
  fields: readonly PageField[];
  /** What its buttons send. */
  buttons: readonly (readonly [name: string, value: string])[];
}

const plain = (text: string): string =>
  text.replace(
    /&(amp|lt|gt|quot|#39);/g,
    (_, name: string) => ({ amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" })[name] ?? "",
  );
const attribute = (tag: string, name: string): string | undefined => {
  const found = new RegExp(` ${name}="([^"]*)"`).exec(tag);
  return found === null ? undefined : plain(found[1] ?? "");
};

const fieldPattern = /<input[^>]*>|<textarea[^>]*>[\s\S]*?<\/textarea>|<select[^>]*>[\s\S]*?<\/select>|<button[^>]*>/g;

function fieldOf(text: string): PageField {
  const tag = /^<[^>]*>/.exec(text)?.[0] ?? "";
  const [, element = ""] = /^<(\w+)/.exec(tag) ?? [];
  const options = [...text.matchAll(/<option[^>]*>/g)].map(([option]) => option);
  const chosen = options.find((option) => option.includes(" selected")) ?? options[0] ?? "";
  return {
    name: attribute(tag, "name") ?? "",
    kind: element === "input" ? (attribute(tag, "type") ?? "text") : element,
    value:
      element === "textarea"
        ? plain(
            text
              .slice(tag.length)
              .replace(/^\n/, "")
              .replace(/<\/textarea>$/, ""),
          )
        : (attribute(element === "select" ? chosen : tag, "value") ?? ""),
    checked: / checked\b/.test(tag),
    choices: options.map((option) => attribute(option, "value") ?? ""),
  };
}

/** The forms of a page that are sent by POST, with the fields elsewhere on it that belong to them. */
export function formsIn(page: string, path: string): PageForm[] {
  const elsewhere = [...page.matchAll(fieldPattern)].map(([text]) => text);
  return [...page.matchAll(/(<form[^>]* method="post"[^>]*>)([\s\S]*?)<\/form>/g)].map(([, tag = "", body = ""]) => {
    const id = attribute(tag, "id");
    const own = [...body.matchAll(fieldPattern)].map(([text]) => text);
    const texts = [...own, ...elsewhere.filter((text) => id !== undefined && text.includes(` form="${id}"`))];
    const fields = texts.map(fieldOf).filter(({ name }) => name !== "");
    return {
      to: (attribute(tag, "action") ?? "").replace(/#.*/, "") || path,
      multipart: tag.includes("multipart/form-data"),
      fields: fields.filter(({ kind }) => kind !== "button"),
      buttons: fields.filter(({ kind }) => kind === "button").map(({ name, value }) => [name, value] as const),
    };
  });
}
