// Lists the headers of contact details in lists of people and companies. Contact details are never stored.

const headers = `
  Phone, Phone No, Phone Number, Telephone, Tel, Tel No, Mobile, Mobile No, Mobile Number, Mobile Phone, Cell, Cell Phone, Cell No,
  Cell Number, Home Phone, Work Phone, Office Phone, Fax, Pager, WhatsApp, Email, Email Address, Mail, Contact, Contact Details,
  Contact Info, Contact Name, Contact Person, Contact Phone, Contact Email, Address, Home Address, Street, Street Address,
  Address 1, Address 2, City, Town, State, Province, County, Zip, Zip Code, Postcode, Postal Code, Country, Website, Web, URL,
  Agent, Agent Contact, Emergency Contact, Next of Kin, Date of Birth, DOB, NI Number, National Insurance, SSN, Passport,
  Passport No, Loan Out, Diet, Dietary, Allergies`;

export const contactHeaders: readonly string[] = headers.split(",").map((header) => header.trim());
