import { parseKeys } from '../keys/parse-keys.ts';
import { closest } from '../old.ts';
import { ConfigError } from './kinds.ts';
import { type Deployment, deployments, type Setting, settings } from './settings.ts';

type Settings = typeof settings;
type SettingValues = { [Name in keyof Settings]: Settings[Name] extends Setting<infer T> ? T : never };

/** The parsed and validated settings, which `petstore-server --help` describes. Times are in milliseconds, sizes in bytes. */
export interface Config extends SettingValues {
  /** Keys from the environment, used instead of the keys stored in `dataDir`. */
  apiKeys: string | undefined;
  /** The URL of the database that stores the documents instead of `dataDir`. Never print it, because it may contain a password. */
  databaseUrl: string | undefined;
}

/** Returns the text of a setting and where the text comes from; undefined if the setting has its default. */
export type TextOfSetting = (setting: Setting<unknown>) => { source: string; text: string } | undefined;

/** The settings without a flag. */
type Secrets = Partial<Pick<Config, 'apiKeys' | 'databaseUrl'>>;

/** The configuration from the texts of settings and defaults. Throws if a setting is invalid. */
export function configFrom(textOf: TextOfSetting, { apiKeys, databaseUrl }: Secrets): Config {
  // Only rejects invalid keys. `openKeys` parses the keys again to use them.
  if (apiKeys !== undefined) parseKeys(apiKeys, undefined, keysVariable);
  const deployment = deploymentFrom(textOf);
  const entries = Object.entries<Setting<unknown>>(settings);
  const values = Object.fromEntries(
    entries.map(([name, setting]) => [name, parseSetting(setting, textOf, deployment)]),
  ) as SettingValues;
  return consistent({ ...values, apiKeys, databaseUrl });
}

function consistent(config: Config): Config {
  const { bodyLimit, bodyMemory } = config;
  if (bodyMemory < bodyLimit)
    throw new ConfigError(`--body-memory is ${bodyMemory}; set it to at least ${bodyLimit}, which is --body-limit.`);
  // The time for the headers is a part of the time for the request.
  return { ...config, headersTimeout: Math.min(config.headersTimeout, config.requestTimeout) };
}

/** The variable of the API keys. There is no flag, because process lists show flags. */
export const keysVariable = 'PETSTORE_API_KEYS';
/** The variable of the database. The name has no prefix, because other programs use it, too. */
export const databaseVariable = 'DATABASE_URL';

/** The data folder. Parses only it and the deployment, which decides its default, so other settings may be invalid. */
export function dataDirFrom(textOf: TextOfSetting): string {
  return parseSetting(settings.dataDir, textOf, deploymentFrom(textOf));
}

/** The default configuration with overrides, for embedding and for tests. */
export function defaultConfig(overrides: Partial<Config> = {}): Config {
  const { deployment } = overrides;
  const textOf: TextOfSetting = (setting) =>
    setting === settings.deployment && deployment ? { source: 'deployment', text: deployment } : undefined;
  return consistent({ ...configFrom(textOf, overrides), ...overrides });
}

const knownVariables = [keysVariable, ...Object.values(settings).map(({ variable }) => variable)];

/** Variables of the client and the tests. */
const otherPrograms = /^PETSTORE_(API_KEY$|BASE_URL$|TEST_)/;

/** Variables that Kubernetes and Docker set for services named petstore. */
const discoveryName = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const discoveryAddress = /^(tcp|udp|sctp):\/\//;

/** Rejects unknown variables that look like settings, because they may be misspelt. */
export function rejectUnknownEnvironment(env: NodeJS.ProcessEnv): void {
  for (const [name, value = ''] of Object.entries(env)) {
    if (!name.startsWith('PETSTORE_') || knownVariables.includes(name) || otherPrograms.test(name)) continue;
    if (discoveryName.test(name) || discoveryAddress.test(value)) continue;
    const hint = suggestion(withoutPrefix(name), knownVariables, withoutPrefix);
    throw new ConfigError(`${name} in the environment is not a setting; ${hint}`);
  }
}

const withoutPrefix = (name: string) => name.replace(/^PETSTORE_/, '');

function deploymentFrom(textOf: TextOfSetting): Deployment {
  return parseSetting(settings.deployment, textOf, deployments[0]);
}

function parseSetting<T>(setting: Setting<T>, textOf: TextOfSetting, deployment: Deployment): T {
  const { source, text } = textOf(setting) ?? { source: 'the default', text: setting.fallback(deployment) };
  const parsed = setting.kind.parse(text);
  if (!parsed) throw new ConfigError(`${source} is '${text}'; it must be ${setting.kind.valid}.`);
  return parsed.value;
}

/** A hint that names the candidate closest to a misspelt word. `nameOf` returns the part of a candidate that is compared. */
export function suggestion(
  word: string,
  candidates: readonly string[],
  nameOf?: (candidate: string) => string,
): string {
  const best = closest(word, candidates, nameOf);
  return best === undefined ? '--help shows all.' : `did you mean ${best}?`;
}
