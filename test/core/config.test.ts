// The configuration: the sources of a setting, and the message for each invalid one.
import "../../src/features.ts";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openApp } from "../../src/core/app.ts";
import { type Environment, readConfig } from "../../src/core/config.ts";
import { CliError } from "../../src/core/errors.ts";

const test = suite("the configuration");

/** The settings of a directory with `file` as config.json: a string as it is, anything else as JSON. */
function read(file: unknown, environment: Environment = {}) {
  const folder = mkdtempSync(join(tmpdir(), "tallylight-config-"));
  try {
    if (file !== undefined)
      writeFileSync(join(folder, "config.json"), typeof file === "string" ? file : JSON.stringify(file));
    return readConfig(folder, environment);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Every message of the error. */
function problems(file: unknown, environment: Environment = {}): string[] {
  try {
    read(file, environment);
  } catch (error) {
    assert.instance(error, CliError);
    return [(error as CliError).message, ...(error as CliError).lines];
  }
  assert.unreachable("the configuration was accepted");
  return [];
}

test("names the field of an object that is wrong, and what the object lacks or has too much", () => {
  const folder = "/mnt/backup";
  const whole =
    'backup in config.json must be an object such as {"folder": "/mnt/backup", "every": 24, "keep": {"hourly": 24, "daily": 7, "weekly": 4, "monthly": 12}}';
  const cases: [unknown, string][] = [
    ["often", whole],
    [{ every: 24 }, whole],
    [{ folder, hourly: 1 }, whole],
    [{ folder: "backup" }, "backup.folder in config.json must be the whole path of a folder"],
    [{ folder, every: 0 }, "backup.every in config.json must be a whole number of hours from 1 to 8760"],
    [
      { folder, keep: { daily: -1 } },
      "backup.keep.daily in config.json must be a whole number of days from 0 to 10000",
    ],
    [
      { folder, keep: { yearly: 7 } },
      'backup in config.json must have a keep such as {"hourly": 24, "daily": 7, "weekly": 4, "monthly": 12}',
    ],
  ];
  for (const [backup, sentence] of cases) assert.equal(problems({ backup }), [sentence], JSON.stringify(backup));
  assert.equal(problems(undefined, { TALLYLIGHT_RETENTION: '{"audit": "x"}' }), [
    "TALLYLIGHT_RETENTION.audit must be a whole number of days from 1 to 36500",
  ]);
});

test("leaves both providers unconfigured by default", () => {
  assert.equal(read(undefined), {
    restyle_url: "https://api.decart.ai",
    restyle_key: undefined,
    restyle_lifetime: 600,
    restyle_origins: [],
    look_url: undefined,
    look_model: undefined,
    look_key: undefined,
    look_timeout: 60,
    cors_origins: [],
    rate_limit: undefined,
    failed_keys: 1000,
    upload_limit: 2 ** 36,
    uploads_at_once: 32,
    engagement_quota: {},
    disk_reserve: 2 ** 28,
    connections: 2000,
    event_readers: 500,
    import_deadline: 60,
    backup: undefined,
    retention: undefined,
    turnaround: 11,
    webhook_hosts: [],
    trust_proxy: false,
    log_addresses: false,
    max_staleness: 10,
    primary_url: undefined,
    peer: undefined,
    metrics: false,
    host: undefined,
    port: undefined,
    public_url: undefined,
    tls_cert: undefined,
    tls_key: undefined,
    metrics_token_file: undefined,
    oauth_redirect_schemes: [],
  });
});

test("reads config.json", () => {
  const config = read({ restyle_key: "dct_1", restyle_lifetime: 60, restyle_origins: ["https://set.example.com"] });
  assert.is(config.restyle_key, "dct_1");
  assert.is(config.restyle_lifetime, 60);
  assert.equal(config.restyle_origins, ["https://set.example.com"]);
});

test("lets the environment override config.json, setting by setting", () => {
  const config = read({ restyle_key: "dct_file", restyle_lifetime: 60 }, { TALLYLIGHT_RESTYLE_KEY: " dct_env\n" });
  assert.is(config.restyle_key, "dct_env");
  assert.is(config.restyle_lifetime, 60);
});

test("reads numbers and lists from the environment as text", () => {
  const config = read(undefined, {
    TALLYLIGHT_RESTYLE_LIFETIME: "3600",
    TALLYLIGHT_RESTYLE_ORIGINS: "https://a.example.com, http://127.0.0.1:3000",
  });
  assert.is(config.restyle_lifetime, 3600);
  assert.equal(config.restyle_origins, ["https://a.example.com", "http://127.0.0.1:3000"]);
});

test("ignores the default of the former setting replication, and refuses its other values", () => {
  assert.is("replication" in read({ replication: "none" }, { TALLYLIGHT_REPLICATION: "none" }), false);
  for (const value of ["external", "litestream", null, 1])
    assert.match(
      problems({ replication: value })[0] ?? "",
      /^replication is no longer a setting: .*remove the setting$/,
    );
  assert.throws(() => read(undefined, { TALLYLIGHT_REPLICATION: "external" }), /^replication is no longer a setting/);
});

test("ignores an empty environment variable", () => {
  assert.is(read({ restyle_key: "dct_1" }, { TALLYLIGHT_RESTYLE_KEY: "" }).restyle_key, "dct_1");
});

test("removes the slash at the end of an address", () => {
  const config = read({ look_url: "http://10.0.0.5:11434/v1/", look_model: "a-vision-model" });
  assert.is(config.look_url, "http://10.0.0.5:11434/v1");
});

test("refuses a lifetime outside 60 to 3600 seconds", () => {
  for (const lifetime of [59, 3601, 60.5, "ten", null, true])
    assert.equal(problems({ restyle_lifetime: lifetime }), [
      "restyle_lifetime in config.json must be a whole number of seconds from 60 to 3600",
    ]);
});

test("names the variable if its value is invalid", () => {
  assert.equal(problems(undefined, { TALLYLIGHT_LOOK_TIMEOUT: "0" }), [
    "TALLYLIGHT_LOOK_TIMEOUT must be a whole number of seconds from 1 to 300",
  ]);
});

test("refuses an invalid address and one with a password, without quoting it", () => {
  for (const look_url of ["127.0.0.1:11434", "ftp://set", "http://joe:hunter2@set/v1", "http://set/v1?key=hunter2"]) {
    const [sentence = ""] = problems({ look_url, look_model: "m" });
    assert.match(sentence, /^look_url in config\.json must be an http or https address/);
    assert.not.match(sentence, /hunter2/);
  }
});

test("allows plain http for the restyle key only on this machine", () => {
  assert.match(problems({ restyle_url: "http://10.0.0.5" })[0] as string, /must be an https address/);
  assert.is(read({ restyle_url: "http://127.0.0.1:9999" }).restyle_url, "http://127.0.0.1:9999");
});

test("refuses an origin with a path", () => {
  assert.match(problems({ restyle_origins: ["https://set.example.com/app"] })[0] as string, /must be web origins/);
});

test("refuses a look address without a model", () => {
  assert.match(problems({ look_url: "http://127.0.0.1:11434/v1" })[0] as string, /^look_model .* is required/);
});

test("refuses an unknown setting and reports every problem", () => {
  const sentences = problems({ restyle_kee: "dct_secret", restyle_lifetime: 1, look_timeout: 0 });
  assert.is(sentences.length, 3);
  assert.match(sentences[0] as string, /^restyle_kee in config\.json is not a setting; the settings are cors_origins,/);
  assert.not.match(sentences.join(), /dct_secret/);
});

test("refuses a secret with a space or a line break, without quoting it", () => {
  const sentences = problems({ restyle_key: "dct_one dct_two" });
  assert.match(sentences[0] as string, /^restyle_key in config\.json must be 1 to 512 printable characters/);
  assert.not.match(sentences.join(), /dct_/);
});

test("names the place of an error in the file", () => {
  const text = '{\n  "rate_limit": 5,\n  "host": "0.0.0.0",\n}\n';
  assert.match(problems(text)[0] as string, /config\.json is not valid JSON: the error is at line 4, column 1$/);
});

test("refuses a file that is not a JSON object, without quoting it", () => {
  for (const text of ['{"restyle_key": "dct_secret"', "[]", "null", "", '"dct_secret"']) {
    const [sentence = ""] = problems(text);
    assert.match(
      sentence,
      /config\.json (is not valid JSON: the error is at line 1, column \d+|must contain one JSON object with the settings)$/,
    );
    assert.not.match(sentence, /dct_/);
  }
});

test("refuses a file that cannot be read", () => {
  const folder = mkdtempSync(join(tmpdir(), "tallylight-config-"));
  mkdirSync(join(folder, "config.json"));
  try {
    assert.throws(() => readConfig(folder, {}), /config\.json cannot be read; check its owner and permissions$/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("refuses to start with an invalid setting before it creates a database", () => {
  const data = mkdtempSync(join(tmpdir(), "tallylight-config-"));
  try {
    const environment = { TALLYLIGHT_RESTYLE_LIFETIME: "7" };
    assert.throws(() => openApp({ data, environment }), /^TALLYLIGHT_RESTYLE_LIFETIME must be a whole number/);
    assert.not(existsSync(join(data, "tallylight.db")));
  } finally {
    rmSync(data, { recursive: true });
  }
});

test("takes the parts of a quota, from the file or as JSON from the environment, and refuses anything else", () => {
  assert.equal(read({ engagement_quota: { files: 7 } }).engagement_quota, { files: 7 });
  const environment = { TALLYLIGHT_ENGAGEMENT_QUOTA: '{"bytes": 9}' };
  assert.equal(read({ engagement_quota: { files: 7 } }, environment).engagement_quota, { bytes: 9 });
  for (const given of [{ file: 7 }, [7], 7, "7", "{", "null"])
    assert.match(problems({ engagement_quota: given })[0] as string, /^engagement_quota .* must be an object such as/);
  for (const given of [{ files: 0 }, { bytes: -1 }, { bytes: 1.5 }, { files: 1e13 }])
    assert.match(problems({ engagement_quota: given })[0] as string, /must be a whole number of (files|bytes) from/);
});

test.run();
