import type { ProxyHeader } from '../http/client-address.ts';
import { DEFAULTS } from '../limits.ts';
import { service } from '../old.ts';
import { MAX_IDEMPOTENCY_KEYS } from '../store/store.ts';
import { integer, type Kind, oneOf, origins, orOff, proxies, seconds, text, yesOrNo } from './kinds.ts';

export type Deployment = keyof typeof service.deployments;

/** A setting. Its flag overrides its variable, which overrides its default. */
export interface Setting<T> {
  flags: string;
  variable: string;
  about: string;
  kind: Kind<T>;
  /** Returns the default as text. */
  fallback(deployment: Deployment): string;
}

// The generated code has at least one deployment.
export const deployments = Object.keys(service.deployments) as [Deployment, ...Deployment[]];
const [firstDeployment] = deployments;
const proxyHeaders: ProxyHeader[] = ['x-forwarded-for', 'forwarded'];
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;

export const settings = {
  deployment: setting({
    flags: '--deployment <name>',
    about: 'deployment of the spec that this server runs as; decides the defaults of --port and --data-dir',
    kind: oneOf(deployments),
    fallback: () => firstDeployment,
  }),
  host: setting({
    flags: '--host <address>',
    variable: 'HOST',
    about: 'address to listen on',
    kind: text('an address or a name of this machine'),
    fallback: () => '127.0.0.1',
  }),
  port: setting({
    flags: '--port <number>',
    variable: 'PORT',
    about: 'port to listen on; 0 takes any free one',
    kind: integer(0, 65_535),
    // A deployment behind a proxy may have no port in the spec.
    fallback: (deployment) => new URL(service.deployments[deployment]).port || '8080',
  }),
  dataDir: setting({
    flags: '--data-dir <folder>',
    about: 'folder for keys and documents',
    kind: text('a folder'),
    fallback: (deployment) => (deployment === firstDeployment ? 'data' : `data-${deployment}`),
  }),
  databasePool: setting({
    flags: '--database-pool <number>',
    about: 'connections to the database, one of them for writes',
    kind: integer(2, 1000),
    fallback: () => String(DEFAULTS.databasePool),
  }),
  databaseConnectTimeout: setting({
    flags: '--database-connect-timeout <seconds>',
    about: 'time to wait for a connection to the database',
    kind: seconds(),
    fallback: () => String(DEFAULTS.databaseConnectTimeout / 1000),
  }),
  databaseStatementTimeout: setting({
    flags: '--database-statement-timeout <seconds>',
    about: 'time to wait for a response of the database',
    kind: seconds(),
    fallback: () => String(DEFAULTS.databaseStatementTimeout / 1000),
  }),
  idempotencyKeys: setting({
    flags: '--idempotency-keys <number>',
    about: 'idempotency keys to remember for a day; beyond that number the oldest are forgotten',
    kind: integer(1, 100_000_000),
    fallback: () => String(MAX_IDEMPOTENCY_KEYS),
  }),
  validateResponses: setting({
    flags: '--validate-responses [true|false]',
    about: 'validate every response against the spec',
    kind: yesOrNo,
    fallback: () => 'false',
  }),
  bodyLimit: setting({
    flags: '--body-limit <bytes>',
    about: 'largest request body',
    kind: integer(1, 2 ** 30),
    fallback: () => String(DEFAULTS.bodyLimit),
  }),
  bodyMemory: setting({
    flags: '--body-memory <bytes>',
    about: 'memory for all request bodies being received or processed',
    kind: integer(1, 2 ** 40),
    fallback: () => String(DEFAULTS.bodyMemory),
  }),
  responseMemory: setting({
    flags: '--response-memory <bytes>',
    about: 'memory for all responses that wait for slow clients',
    kind: integer(1, 2 ** 40),
    fallback: () => String(DEFAULTS.responseMemory),
  }),
  maxConnections: setting({
    flags: '--max-connections <number>',
    about: 'largest number of open connections',
    kind: integer(1, 1_000_000),
    fallback: () => '10000',
  }),
  headersTimeout: setting({
    flags: '--headers-timeout <seconds>',
    about: 'time for the headers of a request, limited by --request-timeout',
    kind: seconds(),
    fallback: () => '10',
  }),
  requestTimeout: setting({
    flags: '--request-timeout <seconds>',
    about: 'time for a whole request to arrive',
    kind: seconds(),
    fallback: () => '30',
  }),
  responseTimeout: setting({
    flags: '--response-timeout <seconds>',
    about: 'time to wait for a client that has stopped reading its response',
    kind: seconds(),
    fallback: () => String(DEFAULTS.responseTimeout / 1000),
  }),
  keepAliveTimeout: setting({
    flags: '--keep-alive-timeout <seconds>',
    about: "time for the next request on a connection; use more than the load balancer's",
    kind: seconds(),
    fallback: () => String(DEFAULTS.keepAliveTimeout / 1000),
  }),
  drainDelay: setting({
    flags: '--drain-delay <seconds>',
    about: 'time to keep serving after a stop signal, with /readyz at 503',
    kind: seconds(0),
    fallback: () => '0',
  }),
  shutdownTimeout: setting({
    flags: '--shutdown-timeout <seconds>',
    about: 'time to finish requests after a stop signal',
    kind: seconds(),
    fallback: () => '10',
  }),
  corsOrigins: setting({
    flags: '--cors-origin <origins>',
    about: "origins whose pages may call the API, separated by commas, or '*'",
    kind: origins,
    fallback: () => 'off',
  }),
  rateLimit: setting({
    flags: '--rate-limit <number>',
    about: 'requests per minute and key',
    kind: orOff(integer(1, 1_000_000_000)),
    fallback: () => 'off',
  }),
  adminPort: setting({
    flags: '--admin-port <number>',
    about: 'separate port for /metrics, /healthz and /readyz',
    kind: orOff(integer(0, 65_535)),
    fallback: () => 'off',
  }),
  trustProxy: setting({
    flags: '--trust-proxy <proxies>',
    about: 'proxies in front: their number, or their addresses separated by commas',
    kind: orOff(proxies),
    fallback: () => 'off',
  }),
  proxyHeader: setting({
    flags: '--proxy-header <name>',
    about: `header in which trusted proxies write the client's address: ${proxyHeaders.join(', ')}`,
    kind: oneOf(proxyHeaders),
    fallback: () => 'x-forwarded-for',
  }),
  logLevel: setting({
    flags: '--log-level <level>',
    about: `level of the log: ${logLevels.join(', ')}`,
    kind: oneOf(logLevels),
    fallback: () => 'info',
  }),
};

/** Without a variable of its own, a setting has the variable of its flag: PETSTORE_BODY_LIMIT for --body-limit. */
function setting<T>(declaration: Omit<Setting<T>, 'variable'> & { variable?: string }): Setting<T> {
  const [flag = ''] = declaration.flags.slice('--'.length).split(' ');
  return { variable: `PETSTORE_${flag.replaceAll('-', '_').toUpperCase()}`, ...declaration };
}
