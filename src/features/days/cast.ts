// The day out of days over the API. Exports of lists read the same statement.
export { listCastDays } from "../cast/cast_days.ts";
