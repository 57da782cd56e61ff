// The state of the feature for an open application: the feed that notifies waiting readers.
import { stateOf } from "../../core/features.ts";
import { Feed } from "./feed.ts";

/** When event streams send comments and cut clients off, in milliseconds. */
export interface StreamTimes {
  /** A comment is sent after this time without another message. */
  quiet: number;
  /** A client that reads nothing for this time is cut off. */
  stalled: number;
}

declare module "../../core/features.ts" {
  interface FeatureOptions {
    /** When event streams send comments and cut clients off. */
    streamTimes?: StreamTimes;
  }
}

/** The feed of an application. */
export const feedOf = stateOf((app) => {
  const { store, clock, config } = app;
  const feed = new Feed(store, { clock, readersOfKey: config.event_readers });
  app.onEnd(() => feed.end());
  app.onClose(() => feed.end());
  return feed;
});
