// tallylight init: what it prints imports as it is, and says what is what.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { exportDocument } from "../../src/features/documents/export/export.ts";
import { productionFormats } from "../../src/graph/values.ts";
import { tallylight } from "../support/command.ts";
import { fixture } from "../support/lists.ts";
import { imported, joined, writeDocument } from "../support/small_document.ts";

const starter = suite("init");
const starterDocument = (format: string) => JSON.parse(String(fixture(`starter/${format}.json`)));

for (const format of productionFormats)
  starter(`--format ${format} prints a document that imports as it is, and whose names resolve`, async () => {
    const { out, status } = await tallylight("init", "--format", format);
    assert.is(status, 0);
    assert.equal(JSON.parse(out), starterDocument(format));
    assert.match(out, /"\$comment": "/);
    const { store, blobs } = await imported(writeDocument(out));
    const exported = JSON.parse(await joined(exportDocument(store, blobs, 1)));
    assert.is(exported.production.format, format);
    for (const list of ["people", "scenes", "assets", "schedule", "engagements", "deliveries", "approvals"])
      assert.is(exported[list].length, starterDocument(format)[list].length, list);
    assert.not.match(JSON.stringify(exported), /\$comment/);
  });

starter("prints the same document for --json, and the one of a feature by default", async () => {
  const { out } = await tallylight("init", "--json");
  assert.equal(JSON.parse(out), starterDocument("single"));
});

starter.run();
