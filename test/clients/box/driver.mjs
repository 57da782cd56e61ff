// Does the steps of a test with the JavaScript client: the module's address and the steps, on Node, Deno and in a
// browser.

const camelCase = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

async function plain(value) {
  if (!(value instanceof Blob)) return value;
  const bytes = new Uint8Array(await value.arrayBuffer());
  return { base64: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")) };
}

async function collected(rows, take = Number.POSITIVE_INFINITY) {
  const found = [];
  for await (const row of rows) if (found.push(row) >= take) break;
  return found;
}

async function doStep(tally, { name, args = [], named, operation, take }) {
  if (name === "events") return collected(tally.events(...args), take);
  if (name === "rows") return collected(tally.rows(operation, named));
  if (args.length > 0) return tally[camelCase(name)](...args, ...(named === undefined ? [] : [named]));
  const blobs = Object.entries(named ?? {}).map(([key, value]) => [
    key,
    value?.blob === undefined ? value : new File([value.blob], value.file_name),
  ]);
  return plain(await tally[camelCase(name)](named === undefined ? undefined : Object.fromEntries(blobs)));
}

const { setTimeout } = globalThis;
// The pauses between tries are shorter here; other timers stay as they are.
globalThis.setTimeout = (done, delay, ...rest) => setTimeout(done, delay < 10_000 ? delay / 50 : delay, ...rest);

export async function drive(module, { url, key, options, steps }) {
  const warnings = [];
  console.warn = (text) => warnings.push(text);
  const { Tallylight, TallylightError } = await import(module);
  const tally = new Tallylight(url, key, options);
  const results = [];
  for (const step of steps)
    try {
      results.push({ value: await doStep(tally, step) });
    } catch (error) {
      const { status, detail, request } = error;
      if (error instanceof TallylightError) results.push({ error: { status, detail, request } });
      else results.push({ thrown: `${error.name}: ${error.message}` });
    }
  return { results, warnings };
}
