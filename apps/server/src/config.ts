import type { BlockList } from 'node:net';
import { ConfigError } from './config/config-error.ts';
import { type Deployment, deployments, type LogLevel, type Setting, settings } from './config/settings.ts';
import type { ProxyHeader } from './http/client-address.ts';
import { givenKeys } from './keys/given.ts';

export { ConfigError } from './config/config-error.ts';

/** Everything that can be set, checked, as plain values. Times are in milliseconds. */
export interface Config {
  host: string;
  port: number;
  deployment: Deployment;
  /** Where keys and documents are stored. */
  dataDir: string;
  /** Keys from the environment, instead of those stored in `dataDir`. */
  apiKeys: string | undefined;
  /** The database that stores the documents instead of `dataDir`. It may hold a password: nobody writes it anywhere. */
  databaseUrl: string | undefined;
  /** Processes that serve requests. Only the command line starts more than one: `serve` is one. */
  workers: number;
  databasePool: number;
  databaseConnectTimeout: number;
  databaseStatementTimeout: number;
  idempotencyKeys: number;
  /** Check every answer against the spec as well; `npm run dev` does. */
  validateResponses: boolean;
  /** In bytes. */
  bodyLimit: number;
  /** In bytes, all bodies together. */
  bodyMemory: number;
  /** In bytes, all responses that wait for their clients. */
  responseMemory: number;
  maxConnections: number;
  headersTimeout: number;
  requestTimeout: number;
  responseTimeout: number;
  keepAliveTimeout: number;
  drainDelay: number;
  shutdownTimeout: number;
  /** Empty where no other origin may call; `['*']` where all may. */
  corsOrigins: string[];
  /** Requests a minute for each key. */
  rateLimit: number | undefined;
  adminPort: number | undefined;
  trustProxy: number | BlockList | undefined;
  proxyHeader: ProxyHeader;
  logLevel: LogLevel;
}

/** What somebody wrote for a setting, and where. */
export type Given = (setting: Setting<unknown>) => { source: string; text: string } | undefined;

/** What comes from the environment alone, so that no list of processes shows it. */
export type Secrets = Partial<Pick<Config, 'apiKeys' | 'databaseUrl'>>;

/** The settings: what was given, else the default. Refuses what is not valid. */
export function configFrom(given: Given, { apiKeys, databaseUrl }: Secrets): Config {
  if (apiKeys !== undefined) givenKeys(apiKeys);
  const deployment = deploymentFrom(given);
  const value = <T>(setting: Setting<T>) => resolved(setting, given, deployment);
  const requestTimeout = value(settings.requestTimeout);
  return {
    deployment,
    host: value(settings.host),
    port: value(settings.port),
    dataDir: value(settings.dataDir),
    apiKeys,
    databaseUrl,
    workers: value(settings.workers),
    databasePool: value(settings.databasePool),
    databaseConnectTimeout: value(settings.databaseConnectTimeout),
    databaseStatementTimeout: value(settings.databaseStatementTimeout),
    idempotencyKeys: value(settings.idempotencyKeys),
    validateResponses: value(settings.validateResponses),
    bodyLimit: value(settings.bodyLimit),
    bodyMemory: value(settings.bodyMemory),
    responseMemory: value(settings.responseMemory),
    maxConnections: value(settings.maxConnections),
    headersTimeout: Math.min(value(settings.headersTimeout), requestTimeout),
    requestTimeout,
    responseTimeout: value(settings.responseTimeout),
    keepAliveTimeout: value(settings.keepAliveTimeout),
    drainDelay: value(settings.drainDelay),
    shutdownTimeout: value(settings.shutdownTimeout),
    corsOrigins: value(settings.corsOrigins),
    rateLimit: value(settings.rateLimit),
    adminPort: value(settings.adminPort),
    trustProxy: value(settings.trustProxy),
    proxyHeader: value(settings.proxyHeader),
    logLevel: value(settings.logLevel),
  };
}

/** The folder alone, for commands that need no other setting. */
export function dataDirFrom(given: Given): string {
  return resolved(settings.dataDir, given, deploymentFrom(given));
}

/** The settings when nothing is given but these, for embedding and for tests. */
export function defaultConfig(overrides: Partial<Config> = {}): Config {
  const { deployment } = overrides;
  const given: Given = (setting) =>
    setting === settings.deployment && deployment ? { source: 'deployment', text: deployment } : undefined;
  return { ...configFrom(given, overrides), ...overrides };
}

function deploymentFrom(given: Given): Deployment {
  return resolved(settings.deployment, given, deployments[0]);
}

function resolved<T>(setting: Setting<T>, given: Given, deployment: Deployment): T {
  const { source, text } = given(setting) ?? { source: 'the default', text: setting.fallback(deployment) };
  const read = setting.kind.read(text);
  if (!read) throw new ConfigError(`${source} is '${text}'; it has to be ${setting.kind.valid}.`);
  return read.value;
}
