// Checks the rules of a document that its schema cannot say: between fields, between things, and of references.
import { checkApprovals } from "./approvals.ts";
import { checkAssets } from "./assets.ts";
import { checkDeliveries } from "./deliveries.ts";
import { checkEngagements } from "./engagements.ts";
import { formOf } from "./form.ts";
import { checkHistory } from "./history.ts";
import { checkMoney } from "./money.ts";
import type { Problems } from "./problems.ts";
import { checkProduction } from "./production.ts";
import { checkScenes } from "./scenes.ts";
import { documentSchema, type ProductionDocument } from "./schema.ts";
import { checkStorage } from "./storage.ts";
import { type KnownNames, Validator } from "./validator.ts";

const form = formOf(documentSchema);

/** Adds what is wrong to `problems`, which holds what the schema found. Returns the validator, for further checks. */
export function checkDocument(document: ProductionDocument, problems: Problems, names: KnownNames): Validator {
  const validator = new Validator(document, problems, names);
  for (const check of [checkProduction, checkScenes, checkAssets, checkEngagements, checkDeliveries, checkApprovals])
    check(validator);
  for (const check of [checkMoney, checkHistory, checkStorage]) check(validator);
  validator.checkReferences(form);
  return validator;
}
