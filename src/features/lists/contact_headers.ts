// The headers of contact details in lists of people and vendors.

/** What is never stored, as lists of people and vendors call it. */
export const contactHeaders = `Phone, Phone No, Telephone, Tel, Tel No, Mobile, Mobile No, Mobile Phone, Cell, Cell Phone, Cell No, Home Phone, Work Phone,
  Office Phone, Fax, Pager, WhatsApp, Email, Email Address, Mail, Contact, Contact Details, Contact Info, Contact Name, Contact Person, Contact Phone,
  Contact Email, Address, Home Address, Street, Street Address, Address 1, Address 2, City, Town, State, Province, County, Zip, Zip Code, Postcode,
  Postal Code, Country, Website, Web, URL, Agency, Agency Name, Agent, Agent Name, Agent Email, Agent Phone, Agent Contact, Emergency Contact,
  Next of Kin, Date of Birth, DOB, NI Number, National Insurance, SSN, Passport, Passport No, Loan Out, Diet, Dietary, Allergies`;
