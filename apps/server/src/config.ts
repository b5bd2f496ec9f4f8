import type { BlockList } from 'node:net';
import { ConfigError } from './config/errors.ts';
import { type Deployment, deployments, type LogLevel, type Setting, settings } from './config/settings.ts';
import type { ProxyHeader } from './http/client-address.ts';
import { parseKeys } from './keys/key.ts';

export { ConfigError } from './config/errors.ts';

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
  /** Validate every response against the spec; `npm run dev` does. */
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

/** Returns the text of a setting and its source. */
export type SettingTexts = (setting: Setting<unknown>) => { source: string; text: string } | undefined;

/** Settings from the environment only, because process lists show flags. */
export type Secrets = Partial<Pick<Config, 'apiKeys' | 'databaseUrl'>>;

/** The configuration from the texts of settings and defaults. Throws for an invalid one. */
export function configFrom(texts: SettingTexts, { apiKeys, databaseUrl }: Secrets): Config {
  if (apiKeys !== undefined) parseKeys(apiKeys);
  const deployment = deploymentFrom(texts);
  const value = <T>(setting: Setting<T>) => resolved(setting, texts, deployment);
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

/** The data folder only, for commands without other settings. */
export function dataDirFrom(texts: SettingTexts): string {
  return resolved(settings.dataDir, texts, deploymentFrom(texts));
}

/** The default configuration with overrides, for embedding and for tests. */
export function defaultConfig(overrides: Partial<Config> = {}): Config {
  const { deployment } = overrides;
  const texts: SettingTexts = (setting) =>
    setting === settings.deployment && deployment ? { source: 'deployment', text: deployment } : undefined;
  return { ...configFrom(texts, overrides), ...overrides };
}

function deploymentFrom(texts: SettingTexts): Deployment {
  return resolved(settings.deployment, texts, deployments[0]);
}

function resolved<T>(setting: Setting<T>, texts: SettingTexts, deployment: Deployment): T {
  const { source, text } = texts(setting) ?? { source: 'the default', text: setting.fallback(deployment) };
  const read = setting.kind.read(text);
  if (!read) throw new ConfigError(`${source} is '${text}'; it must be ${setting.kind.valid}.`);
  return read.value;
}
