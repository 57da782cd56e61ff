// /seen-as: ends the admin's look through the reach of a vendor.
import type { WebPage } from "../page.ts";

export const seenAsPage: WebPage = {
  path: "/seen-as",
  reach: "engagement",
  async submit(visit) {
    await visit.seeAs(null);
    return { location: "/settings/vendors" };
  },
};
