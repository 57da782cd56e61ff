// What the features name in feature.ts exists: every function of a page and of a place, and every part of a file that pages load.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { features, featuresUrl, installFeatures, loadFile } from "../../src/core/features.ts";
import type { FeaturePart } from "../../src/features/pages/contributions.ts";
import "../../src/features.ts";
import { hasPage, isFilled, placeFiller } from "../../src/features/pages/page_places.ts";

const named = suite("what features name");

named("each function of a page is one that its file exports", async () => {
  for (const feature of features())
    for (const { path, file, show, submit, send } of feature.pages ?? []) {
      const module = await loadFile<Record<string, unknown>>(feature, file);
      const names = [show, submit, send].filter((name) => name !== undefined);
      assert.ok(names.length > 0, `${feature.name}: ${path} names no function`);
      for (const name of names) assert.type(module[name], "function", `${feature.name}: ${path} ${name}`);
    }
});

named("each function that fills a place is one that its file exports, and only one feature fills it", async () => {
  const seen = new Set<string>();
  for (const feature of features())
    for (const [place, { file, name }] of Object.entries<FeaturePart>(feature.places ?? {})) {
      const module = await loadFile<Record<string, unknown>>(feature, file);
      assert.type(module[name], "function", `${feature.name}: ${place}`);
      assert.not(seen.has(place), `two features fill ${place}`);
      seen.add(place);
    }
});

named("each part of a file that pages load is there", () => {
  for (const { name, url, files = {} } of features())
    for (const part of Object.values(files).flat())
      assert.ok(
        existsSync(part.startsWith(".") ? new URL(part, url) : createRequire(url).resolve(part)),
        `${name}: ${part}`,
      );
});

named("without the other features, their places are empty and their pages are not linked", async () => {
  const [all, address] = [features(), featuresUrl() as string];
  const needed = ["graph", "addresses", "sequences", "names", "review", "pages"];
  installFeatures(
    all.filter(({ name }) => needed.includes(name)),
    import.meta.url,
  );
  assert.not(isFilled("board_forms"));
  assert.is(await placeFiller("saved"), undefined);
  assert.ok(hasPage("/scenes/5?from=1#top"));
  for (const path of ["/edit/scenes/5", "/days/7", "/search", "/cast"]) assert.not(hasPage(path), path);
  installFeatures(all, address);
  assert.ok(hasPage("/search"));
});

named.run();
