// What the features name in feature.ts: each place is filled once, and every part of a file that pages load exists.
// Thorough: only --all runs it.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { features, featuresUrl, installFeatures } from "../../src/core/features.ts";
import "../../src/features.ts";
import { hasPage, isFilled, placeFiller } from "../../src/features/pages/page_places.ts";

const named = suite("what features name");

named("only one feature fills a place", () => {
  const filled = features().flatMap(({ places = {} }) => Object.keys(places));
  assert.equal(filled, [...new Set(filled)]);
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
  const needed = ["graph", "addresses", "sequences", "names", "review", "csv", "pages"];
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
