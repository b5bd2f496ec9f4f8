import { service } from '@petstore/types';
import type { ProxyHeader } from '../http/client-address.ts';
import { MAX_IDEMPOTENCY_KEYS } from '../store/store.ts';
import { integer, type Kind, oneOf, origins, orOff, proxies, seconds, secondsOrNone, text, yesOrNo } from './kinds.ts';

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
  deployment: {
    flags: '--deployment <name>',
    variable: 'PETSTORE_DEPLOYMENT',
    about: 'deployment of the spec to run as',
    kind: oneOf(deployments),
    fallback: () => firstDeployment,
  },
  host: {
    flags: '--host <address>',
    variable: 'HOST',
    about: 'address to listen on',
    kind: text('an address or a name of this machine'),
    fallback: () => '127.0.0.1',
  },
  port: {
    flags: '--port <number>',
    variable: 'PORT',
    about: 'port to listen on; 0 takes any free one',
    kind: integer(0, 65_535),
    // A deployment behind a proxy may have no port in the spec.
    fallback: (deployment) => new URL(service.deployments[deployment]).port || '8080',
  },
  dataDir: {
    flags: '--data-dir <folder>',
    variable: 'PETSTORE_DATA_DIR',
    about: 'folder for keys and documents',
    kind: text('a folder'),
    fallback: (deployment) => (deployment === firstDeployment ? 'data' : `data-${deployment}`),
  },
  workers: {
    flags: '--workers <number>',
    variable: 'PETSTORE_WORKERS',
    about: 'processes that serve requests, about one for each core; more than one needs DATABASE_URL',
    kind: integer(1, 64),
    fallback: () => '1',
  },
  databasePool: {
    flags: '--database-pool <number>',
    variable: 'PETSTORE_DATABASE_POOL',
    about: 'connections of each process to the database, one of them for writes',
    kind: integer(2, 1000),
    fallback: () => '10',
  },
  databaseConnectTimeout: {
    flags: '--database-connect-timeout <seconds>',
    variable: 'PETSTORE_DATABASE_CONNECT_TIMEOUT',
    about: 'time to wait for a connection to the database',
    kind: seconds,
    fallback: () => '3',
  },
  databaseStatementTimeout: {
    flags: '--database-statement-timeout <seconds>',
    variable: 'PETSTORE_DATABASE_STATEMENT_TIMEOUT',
    about: 'time to wait for a response of the database',
    kind: seconds,
    fallback: () => '5',
  },
  idempotencyKeys: {
    flags: '--idempotency-keys <number>',
    variable: 'PETSTORE_IDEMPOTENCY_KEYS',
    about: 'idempotency keys to remember for a day; beyond that number the oldest are forgotten',
    kind: integer(1, 100_000_000),
    fallback: () => String(MAX_IDEMPOTENCY_KEYS),
  },
  validateResponses: {
    flags: '--validate-responses [true|false]',
    variable: 'PETSTORE_VALIDATE_RESPONSES',
    about: 'validate every response against the spec',
    kind: yesOrNo,
    fallback: () => 'false',
  },
  bodyLimit: {
    flags: '--body-limit <bytes>',
    variable: 'PETSTORE_BODY_LIMIT',
    about: 'largest request body',
    kind: integer(1, 2 ** 30),
    fallback: () => String(2 ** 20),
  },
  bodyMemory: {
    flags: '--body-memory <bytes>',
    variable: 'PETSTORE_BODY_MEMORY',
    about: 'memory for all request bodies being received or processed',
    kind: integer(1, 2 ** 40),
    fallback: () => String(2 ** 26),
  },
  responseMemory: {
    flags: '--response-memory <bytes>',
    variable: 'PETSTORE_RESPONSE_MEMORY',
    about: 'memory for all responses that wait for slow clients',
    kind: integer(1, 2 ** 40),
    fallback: () => String(2 ** 26),
  },
  maxConnections: {
    flags: '--max-connections <number>',
    variable: 'PETSTORE_MAX_CONNECTIONS',
    about: 'open connections, at most',
    kind: integer(1, 1_000_000),
    fallback: () => '10000',
  },
  headersTimeout: {
    flags: '--headers-timeout <seconds>',
    variable: 'PETSTORE_HEADERS_TIMEOUT',
    about: 'time for the headers of a request, limited by --request-timeout',
    kind: seconds,
    fallback: () => '10',
  },
  requestTimeout: {
    flags: '--request-timeout <seconds>',
    variable: 'PETSTORE_REQUEST_TIMEOUT',
    about: 'time for a whole request to arrive',
    kind: seconds,
    fallback: () => '30',
  },
  responseTimeout: {
    flags: '--response-timeout <seconds>',
    variable: 'PETSTORE_RESPONSE_TIMEOUT',
    about: 'time to wait for a client that has stopped reading its response',
    kind: seconds,
    fallback: () => '30',
  },
  keepAliveTimeout: {
    flags: '--keep-alive-timeout <seconds>',
    variable: 'PETSTORE_KEEP_ALIVE_TIMEOUT',
    about: "time for the next request on a connection; use more than the load balancer's",
    kind: seconds,
    fallback: () => '65',
  },
  drainDelay: {
    flags: '--drain-delay <seconds>',
    variable: 'PETSTORE_DRAIN_DELAY',
    about: 'time to keep serving after a stop signal, with /readyz at 503',
    kind: secondsOrNone,
    fallback: () => '0',
  },
  shutdownTimeout: {
    flags: '--shutdown-timeout <seconds>',
    variable: 'PETSTORE_SHUTDOWN_TIMEOUT',
    about: 'time to finish requests after a stop signal',
    kind: seconds,
    fallback: () => '10',
  },
  corsOrigins: {
    flags: '--cors-origin <origins>',
    variable: 'PETSTORE_CORS_ORIGIN',
    about: "origins whose pages may call, separated by commas, or '*'",
    kind: origins,
    fallback: () => 'off',
  },
  rateLimit: {
    flags: '--rate-limit <number>',
    variable: 'PETSTORE_RATE_LIMIT',
    about: 'requests per minute and key',
    kind: orOff(integer(1, 1_000_000_000)),
    fallback: () => 'off',
  },
  adminPort: {
    flags: '--admin-port <number>',
    variable: 'PETSTORE_ADMIN_PORT',
    about: 'separate port for /metrics, /healthz and /readyz',
    kind: orOff(integer(0, 65_535)),
    fallback: () => 'off',
  },
  trustProxy: {
    flags: '--trust-proxy <proxies>',
    variable: 'PETSTORE_TRUST_PROXY',
    about: 'proxies in front: their number, or their addresses separated by commas',
    kind: orOff(proxies),
    fallback: () => 'off',
  },
  proxyHeader: {
    flags: '--proxy-header <name>',
    variable: 'PETSTORE_PROXY_HEADER',
    about: `header to which these proxies write the client's address: ${proxyHeaders.join(', ')}`,
    kind: oneOf(proxyHeaders),
    fallback: () => 'x-forwarded-for',
  },
  logLevel: {
    flags: '--log-level <level>',
    variable: 'PETSTORE_LOG_LEVEL',
    about: `level of the log: ${logLevels.join(', ')}`,
    kind: oneOf(logLevels),
    fallback: () => 'info',
  },
} satisfies Record<string, Setting<unknown>>;
