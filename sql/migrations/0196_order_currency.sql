-- The currency of a purchase order, a code of ISO 4217.
ALTER TABLE purchase_orders ADD COLUMN currency TEXT CHECK (currency GLOB '[A-Z][A-Z][A-Z]');
