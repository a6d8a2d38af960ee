"""Triggers that keep ready texts, published revisions and the audit trail as they are.

Only a transaction that has set `ragsite.purge` passes.
"""

from django.db import migrations

FORWARD = """
CREATE FUNCTION ragsite_is_purging() RETURNS boolean LANGUAGE sql STABLE AS
$$ SELECT coalesce(current_setting('ragsite.purge', true), '') = 'on' $$;

CREATE FUNCTION ragsite_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF ragsite_is_purging() THEN
        RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    END IF;
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

CREATE FUNCTION ragsite_guard_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF ragsite_is_purging() THEN
        RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    END IF;
    IF TG_OP = 'DELETE' THEN
        IF OLD.effective IS NOT NULL THEN
            RAISE EXCEPTION 'a published revision is kept for ever'
                USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN OLD;
    END IF;
    IF OLD.status = 'ready' AND (
        NEW.status, NEW.text, NEW.text_sha256, NEW.number, NEW.document_id, NEW.source_file_id,
        NEW.layout, NEW.language, NEW.original_name
    ) IS DISTINCT FROM (
        OLD.status, OLD.text, OLD.text_sha256, OLD.number, OLD.document_id, OLD.source_file_id,
        OLD.layout, OLD.language, OLD.original_name
    ) THEN
        RAISE EXCEPTION 'a ready revision is immutable' USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.effective IS NOT NULL AND NEW.effective IS DISTINCT FROM OLD.effective AND NOT coalesce(
        isempty(NEW.effective) OR (
            lower(NEW.effective) = lower(OLD.effective)
            AND NOT upper_inf(NEW.effective)
            AND upper(NEW.effective) < coalesce(upper(OLD.effective), 'infinity')
        ),
        false
    ) THEN
        RAISE EXCEPTION 'of an effective interval only the end moves, and only earlier'
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.retracted_at IS NOT NULL AND NEW.retracted_at IS DISTINCT FROM OLD.retracted_at THEN
        RAISE EXCEPTION 'a retraction stands' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER revision_guard BEFORE UPDATE OR DELETE ON documents_revision
    FOR EACH ROW EXECUTE FUNCTION ragsite_guard_revision();
CREATE TRIGGER audit_entry_append_only BEFORE UPDATE OR DELETE ON documents_auditentry
    FOR EACH ROW EXECUTE FUNCTION ragsite_append_only();
"""

BACKWARD = """
DROP TRIGGER audit_entry_append_only ON documents_auditentry;
DROP TRIGGER revision_guard ON documents_revision;
DROP FUNCTION ragsite_guard_revision();
DROP FUNCTION ragsite_append_only();
DROP FUNCTION ragsite_is_purging();
"""


class Migration(migrations.Migration):
    dependencies = [("documents", "0001_documents_and_their_revisions")]

    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
