-- While a production is frozen, grants can be revoked and engagements ended: what narrows a vendor's access needs no thaw.
DROP TRIGGER refuse_frozen_grants_update;
CREATE TRIGGER refuse_frozen_grants_update AFTER UPDATE ON grants
WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id))
  AND (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL
    AND (NEW.id, NEW.production_id, NEW.engagement_id, NEW.verb, NEW.node_id, NEW.department_id, NEW.delivery_id, NEW.created_at, NEW.expires_at) IS (OLD.id, OLD.production_id, OLD.engagement_id, OLD.verb, OLD.node_id, OLD.department_id, OLD.delivery_id, OLD.created_at, OLD.expires_at)) IS NOT TRUE
BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
DROP TRIGGER refuse_frozen_engagements_update;
CREATE TRIGGER refuse_frozen_engagements_update AFTER UPDATE ON engagements
WHEN EXISTS (SELECT 1 FROM frozen_productions WHERE production_id IN (OLD.production_id, NEW.production_id))
  AND (NEW.ended_at < coalesce(OLD.ended_at, char(0x10ffff))
    AND (NEW.id, NEW.production_id, NEW.vendor_id, NEW.title, NEW.created_at, NEW.ref) IS (OLD.id, OLD.production_id, OLD.vendor_id, OLD.title, OLD.created_at, OLD.ref)) IS NOT TRUE
BEGIN SELECT RAISE(ABORT, 'the production is frozen'); END;
