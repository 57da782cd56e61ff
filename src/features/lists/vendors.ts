// Reads the CSV list of vendors. Contact details are never stored.
import { sameName } from "../../core/wording.ts";
import { Repeats } from "../paperwork/findings.ts";
import { warnOfAccents, warnOfSeveral } from "../paperwork/known_names.ts";
import { ownName } from "./cells.ts";
import { contactHeaders } from "./contact_headers.ts";
import { column, defineList } from "./list.ts";

export const vendorCell = ownName(({ vendors }) => vendors);

export const vendorList = defineList({
  title: "a list of vendors",
  columns: {
    name: column("Vendor, Vendor Name, Supplier, Supplier Name, Company, Company Name, Name, Payee", vendorCell),
  },
  needs: [["name"]],
  dropped: { headers: contactHeaders, because: "contact details are not stored" },
  build({ entries, options, findings, took }) {
    const repeats = new Repeats(findings);
    return {
      vendors: entries.flatMap(({ line, values: { name } }) => {
        if (name === undefined || !repeats.isFirst(sameName(name), name, line)) return [];
        took(line);
        warnOfAccents(options.known.vendors, name, findings, line);
        warnOfSeveral(options.known.vendors, name, findings, line);
        return [name];
      }),
    };
  },
});
