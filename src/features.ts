// The features of this program, one line each. To remove a feature, remove its line and its folder.
import { installFeatures } from "./core/features.ts";
import { admin } from "./features/admin/feature.ts";
import { adminPages } from "./features/admin/pages/feature.ts";
import { agent } from "./features/agent/feature.ts";
import { backup } from "./features/backup/feature.ts";
import { clashes } from "./features/clashes/feature.ts";
import { clients } from "./features/clients/feature.ts";
import { clock } from "./features/clock/feature.ts";
import { dayIssues } from "./features/day_issues/feature.ts";
import { days } from "./features/days/feature.ts";
import { daysPages } from "./features/days/pages/feature.ts";
import { demo } from "./features/demo/feature.ts";
import { doctor } from "./features/doctor/feature.ts";
import { documents } from "./features/documents/feature.ts";
import { documentsPages } from "./features/documents/pages/feature.ts";
import { events } from "./features/events/feature.ts";
import { eventsPages } from "./features/events/pages/feature.ts";
import { health } from "./features/health/feature.ts";
import { history } from "./features/history/feature.ts";
import { historyPages } from "./features/history/pages/feature.ts";
import { idempotency } from "./features/idempotency/feature.ts";
import { lists } from "./features/lists/feature.ts";
import { mcp } from "./features/mcp/feature.ts";
import { metrics } from "./features/metrics/feature.ts";
import { names } from "./features/names/feature.ts";
import { oauth } from "./features/oauth/feature.ts";
import { openapi } from "./features/openapi/feature.ts";
import { openapiPages } from "./features/openapi/pages/feature.ts";
import { pages } from "./features/pages/feature.ts";
import { paperwork } from "./features/paperwork/feature.ts";
import { pictures } from "./features/pictures/feature.ts";
import { productions } from "./features/productions/feature.ts";
import { progress } from "./features/progress/feature.ts";
import { progressPages } from "./features/progress/pages/feature.ts";
import { replica } from "./features/replica/feature.ts";
import { restyle } from "./features/restyle/feature.ts";
import { review } from "./features/review/feature.ts";
import { schedules } from "./features/schedules/feature.ts";
import { scripts } from "./features/scripts/feature.ts";
import { scriptsPages } from "./features/scripts/pages/feature.ts";
import { search } from "./features/search/feature.ts";
import { searchPages } from "./features/search/pages/feature.ts";
import { uploads } from "./features/uploads/feature.ts";
import { uploadsPages } from "./features/uploads/pages/feature.ts";
import { webhooks } from "./features/webhooks/feature.ts";
import { webhooksPages } from "./features/webhooks/pages/feature.ts";
import { graph } from "./graph/graph.ts";

/** A feature that adds nothing by itself: only others need its files, so it has no feature.ts. */
const shared = (name: string, needs: readonly string[] = []) => ({ name, needs, url: import.meta.url });

installFeatures(
  [
    graph,
    shared("addresses"),
    shared("sequences"),
    names,
    shared("work"),
    clock,
    idempotency,
    clashes,
    shared("csv"),
    shared("cast", ["csv"]),
    review,
    shared("soundness"),
    agent,
    restyle,
    events,
    webhooks,
    search,
    days,
    dayIssues,
    progress,
    uploads,
    pictures,
    pages,
    admin,
    mcp,
    openapi,
    clients,
    documents,
    paperwork,
    history,
    scripts,
    schedules,
    lists,
    oauth,
    metrics,
    health,
    backup,
    replica,
    productions,
    doctor,
    demo,
    daysPages,
    progressPages,
    searchPages,
    eventsPages,
    uploadsPages,
    openapiPages,
    documentsPages,
    scriptsPages,
    historyPages,
    webhooksPages,
    adminPages,
  ],
  import.meta.url,
);
