// Counts requests and writes the counts as text of Prometheus, or as OpenMetrics for a reader that asks for it. Knows
// no HTTP and no database: what it reports besides requests comes from the sources that the server adds.
import type { Figure, FigureSource } from "../../core/feature.ts";
import { stateOf } from "../../core/features.ts";

/** A finished request. */
export interface FinishedRequest {
  operation: string | undefined;
  /** The HTTP status; 0 if no response was sent. */
  status: number;
  milliseconds: number;
  /** How many bytes of body the response had. */
  bytes: number;
  /** Whether the answer came from the response cache. */
  cached: boolean;
  /** Whether the credentials were invalid. */
  refused: boolean;
}

/** The upper bounds of the latency buckets, in seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10] as const;

/**
 * The two formats by their media types. They differ in what the comments say of a counter, in units, and in the end.
 */
export const metricsTypes = {
  prometheus: "text/plain; version=0.0.4; charset=utf-8",
  openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
} as const;
type Format = keyof typeof metricsTypes;

/** The requests of one operation. */
interface Counts {
  /** By status. */
  statuses: Map<number, number>;
  /** Requests in each bucket; the last one has no bound. Not cumulative. */
  buckets: number[];
  seconds: number;
  bytes: number;
  cached: number;
}

const newCounts = (): Counts => ({
  statuses: new Map(),
  buckets: new Array(bounds.length + 1).fill(0),
  seconds: 0,
  bytes: 0,
  cached: 0,
});

const escaped = (text: string): string => text.replace(/[\\"\n]/g, (mark) => (mark === "\n" ? "\\n" : `\\${mark}`));

function labelText(labels: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

const suffixes = { counter: "_total", gauge: "" } as const;

/**
 * What is said about a metric before its samples. Only OpenMetrics names a counter without its suffix, and has units.
 */
function headLines(format: Format, name: string, type: Figure["type"] | "histogram", help: string): string[] {
  const unit = /_(bytes|seconds)$/.exec(name)?.[1];
  const named = format === "prometheus" && type === "counter" ? `${name}${suffixes.counter}` : name;
  const units = format === "openMetrics" && unit !== undefined ? [`# UNIT ${name} ${unit}`] : [];
  return [`# TYPE ${named} ${type}`, ...units, `# HELP ${named} ${escaped(help)}`];
}

function familyLines(format: Format, { name, type, help, samples }: Figure): string[] {
  return [
    ...headLines(format, name, type, help),
    ...samples.map(({ labels, value }) => `${name}${suffixes[type]}${labelText(labels)} ${value}`),
  ];
}

export class Metrics {
  readonly #operations = new Map<string, Counts>();
  readonly #sources: FigureSource[] = [];
  #refused = 0;

  /** Adds metrics that are read at each call of `text`. */
  add(source: FigureSource): void {
    this.#sources.push(source);
  }

  /** Counts a request. Runs for every request, so it allocates nothing. */
  request({ operation = "none", status, milliseconds, bytes, cached, refused }: FinishedRequest): void {
    let counts = this.#operations.get(operation);
    if (counts === undefined) {
      counts = newCounts();
      this.#operations.set(operation, counts);
    }
    counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + 1);
    const seconds = milliseconds / 1000;
    let at = 0;
    while (at < bounds.length && seconds > (bounds[at] ?? 0)) at++;
    counts.buckets[at] = (counts.buckets[at] ?? 0) + 1;
    counts.seconds += seconds;
    counts.bytes += bytes;
    if (cached) counts.cached++;
    if (refused) this.#refused++;
  }

  #families(): Figure[] {
    const operations = [...this.#operations];
    const perOperation = (count: (counts: Counts) => number) =>
      operations.map(([operation, counts]) => ({ labels: { operation }, value: count(counts) }));
    return [
      {
        name: "tallylight_requests",
        type: "counter",
        help: "Requests by operation and status. Status 0: the client left before the response.",
        samples: operations.flatMap(([operation, { statuses }]) =>
          [...statuses].map(([status, value]) => ({ labels: { operation, status: String(status) }, value })),
        ),
      },
      {
        name: "tallylight_cache_hits",
        type: "counter",
        help: "Requests that were answered from the response cache.",
        samples: perOperation(({ cached }) => cached),
      },
      {
        name: "tallylight_response_bytes",
        type: "counter",
        help: "Bytes of the bodies of responses.",
        samples: perOperation(({ bytes }) => bytes),
      },
      {
        name: "tallylight_refused_keys",
        type: "counter",
        help: "Requests whose key, token or ticket was refused.",
        samples: [{ value: this.#refused }],
      },
    ];
  }

  #histogramLines(format: Format): string[] {
    const name = "tallylight_request_seconds";
    const head = headLines(format, name, "histogram", "From the head of a request to the end of its response.");
    const lines = [...this.#operations].flatMap(([operation, { buckets, seconds }]) => {
      let sum = 0;
      const counted = buckets.map((count, at) => {
        sum += count;
        return `${name}_bucket${labelText({ operation, le: at < bounds.length ? String(bounds[at]) : "+Inf" })} ${sum}`;
      });
      return [
        ...counted,
        `${name}_count${labelText({ operation })} ${sum}`,
        `${name}_sum${labelText({ operation })} ${seconds}`,
      ];
    });
    return [...head, ...lines];
  }

  /** All metrics in a format. */
  text(format: Format): string {
    const families = [...this.#families(), ...this.#sources.flatMap((source) => source())];
    const lines = families.filter(({ samples }) => samples.length > 0).flatMap((one) => familyLines(format, one));
    const end = format === "openMetrics" ? ["# EOF", ""] : [""];
    return [...lines, ...this.#histogramLines(format), ...end].join("\n");
  }
}

/** The metrics of an open application. */
export const metricsOf = stateOf(() => new Metrics());
