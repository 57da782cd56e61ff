// /seen-as: ends the admin's look through the reach of a vendor.
import type { Page } from "../page.ts";

export const seenAsPage: Page = {
  path: "/seen-as",
  reach: "engagement",
  async submit(visit) {
    await visit.seeAs(null);
    return { location: "/settings/vendors" };
  },
};
