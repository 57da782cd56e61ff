-- The search finds the engagements of a vendor that changed by the vendor.
CREATE INDEX engagements_vendor ON engagements (vendor_id); -- add_searched
