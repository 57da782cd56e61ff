// Reads the CSV list of vendors.
import { nameAmong } from "./cells.ts";
import { contactHeaders } from "./contacts.ts";
import { defineList } from "./list.ts";
import { Repeats } from "./repeats.ts";
import { sameName } from "./spelling.ts";

export const vendorCell = nameAmong(({ vendors }) => vendors);

export const vendorList = defineList({
  kind: "vendors",
  title: "a list of vendors",
  columns: {
    name: {
      aliases: ["Vendor", "Vendor Name", "Supplier", "Supplier Name", "Company", "Company Name", "Name", "Payee"],
      cell: vendorCell,
    },
  },
  needs: [["name"]],
  dropped: { aliases: contactHeaders, because: "contact details are not stored" },
  build({ entries, findings }) {
    const repeats = new Repeats(findings);
    return {
      vendors: entries.flatMap(({ line, values: { name } }) =>
        name !== undefined && repeats.isFirst(sameName(name), name, line) ? [name] : [],
      ),
    };
  },
});
