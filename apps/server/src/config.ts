import { closest } from '@petstore/types';
import { type Command, InvalidArgumentError, Option } from 'commander';
import proxyAddress from 'proxy-addr';
import { UsageError } from './errors.ts';
import type { TrustProxy } from './log.ts';

/** The settings of a server. Times are in milliseconds. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly bodyLimit: number;
  readonly requestTimeout: number;
  readonly drainDelay: number;
  readonly shutdownTimeout: number;
  readonly adminPort: number | undefined;
  readonly trustProxy: TrustProxy | undefined;
  readonly corsOrigin: readonly string[] | undefined;
  readonly rateLimit: number | undefined;
  readonly logLevel: string;
  readonly validateResponses: boolean;
  readonly apiKeys: string | undefined;
  /** Never print it, because it may contain a password. */
  readonly databaseUrl: string | undefined;
}

/** Parses the text of a setting. The error has the valid values only, because what was given may be a secret. */
type Parse = (text: string) => unknown;

const levels = ['error', 'warn', 'info', 'silent'];

/** All settings with a flag: flag, variable, default, how it is parsed, and help. A flag overrides its variable. */
const settings: readonly (readonly [string, string, string, Parse, string])[] = [
  ['--host <address>', 'HOST', '127.0.0.1', text, 'address to listen on'],
  ['--port <number>', 'PORT', '8080', integer(0, 65_535), 'port to listen on; 0 takes any free one'],
  ['--data-dir <folder>', 'PETSTORE_DATA_DIR', 'data', text, 'folder for keys and documents'],
  ['--body-limit <bytes>', 'PETSTORE_BODY_LIMIT', '1048576', integer(1, 2 ** 26), 'largest request body'],
  ['--request-timeout <seconds>', 'PETSTORE_REQUEST_TIMEOUT', '30', seconds(0.001), 'time for a request to arrive'],
  ['--drain-delay <seconds>', 'PETSTORE_DRAIN_DELAY', '0', seconds(0), 'time to serve on after a stop signal'],
  ['--shutdown-timeout <seconds>', 'PETSTORE_SHUTDOWN_TIMEOUT', '10', seconds(0.001), 'time to finish requests then'],
  ['--admin-port <number>', 'PETSTORE_ADMIN_PORT', 'off', orOff(integer(0, 65_535)), 'own port for probes and metrics'],
  [
    '--trust-proxy <proxies>',
    'PETSTORE_TRUST_PROXY',
    'off',
    orOff(proxies),
    'number or addresses of the proxies in front',
  ],
  ['--cors-origin <origins>', 'PETSTORE_CORS_ORIGIN', 'off', orOff(origins), "origins whose pages may call, or '*'"],
  ['--rate-limit <number>', 'PETSTORE_RATE_LIMIT', 'off', orOff(integer(1, 1e9)), 'requests per minute and key'],
  ['--log-level <level>', 'PETSTORE_LOG_LEVEL', 'info', oneOf(...levels), `level of the log: ${levels.join(', ')}`],
  [
    '--validate-responses <boolean>',
    'PETSTORE_VALIDATE_RESPONSES',
    'false',
    boolean,
    'compare responses with the spec',
  ],
];

/** The settings without a flag, because process lists show flags. */
export const secrets = { apiKeys: 'PETSTORE_API_KEYS', databaseUrl: 'DATABASE_URL' };

const secretsHelp = `
Environment:
  ${secrets.apiKeys}  API keys: a key, or name=key pairs separated by commas (default: those in the data folder)
  ${secrets.databaseUrl}       address of a PostgreSQL database for the documents (default: the data folder)`;

/** Adds the flags of all settings to a program. */
export function addSettings(program: Command): Command {
  for (const [flags, variable, usual, parse, about] of settings)
    program.addOption(new Option(flags, about).env(variable).default(parse(usual), usual).argParser(parse));
  return program.addHelpText('after', secretsHelp);
}

/** The configuration from the flags of a program and the environment. */
export function configOf(program: Command): Config {
  rejectUnknown(process.env);
  const { [secrets.apiKeys]: apiKeys, [secrets.databaseUrl]: databaseUrl } = process.env;
  return { ...program.opts<Config>(), apiKeys, databaseUrl };
}

/** Variables of the client and of the tests, and those that Kubernetes and Docker set for services named petstore. */
const others =
  /^PETSTORE_(API_KEY|BASE_URL|TEST_\w+|(\w+_)?SERVICE_(HOST|PORT(_\w+)?)|(\w+_)?PORT(_\d+_(TCP|UDP)(_\w+)?)?)$/;

/** Refuses variables that look like settings, because they may be misspelt. */
function rejectUnknown(env: NodeJS.ProcessEnv): void {
  const known = [...Object.values(secrets), ...settings.map(([, variable]) => variable)];
  for (const name of Object.keys(env)) {
    if (!name.startsWith('PETSTORE_') || known.includes(name) || others.test(name)) continue;
    const best = closest(name, known);
    const hint = best === undefined ? '--help shows all.' : `did you mean ${best}?`;
    throw new UsageError(`${name} in the environment is not a setting; ${hint}`);
  }
}

function refuse(valid: string): never {
  throw new InvalidArgumentError(`It must be ${valid}.`);
}

function text(word: string): string {
  return word.trim() === '' ? refuse('a text') : word;
}

/** A whole number in decimal digits; `1e3` and `0x10` are probably mistakes. */
function integer(least: number, most: number): Parse {
  const isValid = (word: string) => /^\d+$/.test(word) && Number(word) >= least && Number(word) <= most;
  return (word) => (isValid(word) ? Number(word) : refuse(`a whole number from ${least} to ${most}`));
}

function seconds(least: number): Parse {
  const isValid = (word: string) => /^\d+(\.\d+)?$/.test(word) && Number(word) >= least && Number(word) <= 86_400;
  return (word) => (isValid(word) ? Math.round(Number(word) * 1000) : refuse(`seconds from ${least} to 86400`));
}

function oneOf(...values: readonly string[]): Parse {
  return (word) => (values.includes(word) ? word : refuse(`one of ${values.join(', ')}`));
}

function boolean(word: string): boolean {
  return oneOf('true', 'false')(word) === 'true';
}

function orOff(parse: Parse): Parse {
  return (word) => (word === 'off' ? undefined : parse(word));
}

function proxies(list: string): TrustProxy {
  const count = Number(list);
  if (/^\d+$/.test(list) && count >= 1 && count <= 16) return (_address, hop) => hop < count;
  try {
    return proxyAddress.compile(list.split(',').map((each) => each.trim()));
  } catch {
    return refuse('a number of proxies from 1 to 16, or addresses and networks like 10.0.0.1,192.168.0.0/16');
  }
}

/** Origins exactly as browsers send them. */
function origins(list: string): readonly string[] {
  const all = list.split(',').map((origin) => origin.trim());
  const isOrigin = (word: string) => /^https?:/.test(word) && URL.parse(word)?.origin === word;
  return list === '*' || all.every(isOrigin)
    ? all
    : refuse("'*', or origins like https://shop.example, without a path");
}
