import { closest } from '@petstore/types';
import { type Command, InvalidArgumentError, Option } from 'commander';
import proxyAddress from 'proxy-addr';
import { UsageError } from './errors.ts';
import type { TrustProxy } from './log.ts';

/** Parses the text of a setting. The error has the valid values only, because what was given may be a secret. */
type Parse<T = unknown> = (text: string) => T;

const levels = ['error', 'warn', 'info', 'silent'];

/** The settings that have a flag, which overrides their variable: default, how it is parsed, and help. */
const settings = {
  host: ['127.0.0.1', text, 'address to listen on'],
  port: ['8080', integer(0, 65_535), 'port to listen on; 0 takes any free one'],
  dataDir: ['data', text, 'folder for keys and data'],
  bodyLimit: ['1048576', integer(1, 2 ** 26), 'bytes of the largest request body'],
  requestTimeout: ['30', seconds(0.001), 'seconds for a request to arrive'],
  drainDelay: ['0', seconds(0), 'seconds to keep serving after a stop signal'],
  shutdownTimeout: ['10', seconds(0.001), 'seconds to finish requests after the drain delay'],
  adminPort: ['off', orOff(integer(0, 65_535)), 'separate port for probes and metrics'],
  trustProxy: ['off', orOff(proxies), 'proxies in front: their number or addresses'],
  corsOrigin: ['off', orOff(origins), "origins whose pages may call the server, or '*'"],
  rateLimit: ['off', orOff(integer(1, 1e9)), 'requests per minute for each key'],
  logLevel: ['info', oneOf(...levels), `level of the log: ${levels.join(', ')}`],
  validateResponses: ['false', boolean, 'compare responses with the spec: true, false'],
} satisfies Record<string, [usual: string, Parse, about: string]>;

/** `PETSTORE_DATA_DIR` for `dataDir`. The variables of host and port are those that all servers have. */
function variableOf(name: string): string {
  const variable = name.replace(/[A-Z]/g, '_$&').toUpperCase();
  return name === 'host' || name === 'port' ? variable : `PETSTORE_${variable}`;
}

/** The settings of a server. Times are in milliseconds. Never print the secrets. */
export type Config = {
  readonly [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name][1]>;
} & {
  readonly [Name in keyof typeof secrets]: string | undefined;
};

/** The settings without a flag, because process lists show flags. */
export const secrets = { apiKeys: 'PETSTORE_API_KEYS', databaseUrl: 'DATABASE_URL' };

const secretsHelp = `
Environment:
  ${secrets.apiKeys}  API keys: a key, or name=key pairs separated by commas (default: those in the data folder)
  ${secrets.databaseUrl}       address of a PostgreSQL database for the data (default: the data folder)`;

/** Adds the flags of all settings to a program. */
export function addSettings(program: Command): Command {
  for (const [name, [usual, parse, about]] of Object.entries(settings)) {
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const option = new Option(`--${flag} <value>`, about)
      .env(variableOf(name))
      .default(parse(usual), usual);
    program.addOption(option.argParser<unknown>(parse));
  }
  return program.addHelpText('after', secretsHelp);
}

/** The configuration from the flags of a program and the environment. */
export function configOf(program: Command): Config {
  rejectUnknown(process.env);
  const { [secrets.apiKeys]: apiKeys, [secrets.databaseUrl]: databaseUrl } = process.env;
  return { ...program.opts<Config>(), apiKeys, databaseUrl };
}

/** Refuses variables that look like settings, because they may be misspelt. */
function rejectUnknown(env: NodeJS.ProcessEnv): void {
  const known = [...Object.values(secrets), ...Object.keys(settings).map(variableOf)];
  for (const [name, value = ''] of Object.entries(env)) {
    if (!name.startsWith('PETSTORE_') || known.includes(name)) continue;
    if (isOfOurs(name) || isOfOrchestrator(name, value)) continue;
    const similar = closest(name, known);
    const advice = similar ? `did you mean ${similar}?` : '--help lists the settings.';
    throw new UsageError(`${name} in the environment is not a setting; ${advice}`);
  }
}

/** Whether a variable is one of the client or of the tests. */
function isOfOurs(name: string): boolean {
  return (
    ['PETSTORE_API_KEY', 'PETSTORE_BASE_URL'].includes(name) || name.startsWith('PETSTORE_TEST_')
  );
}

/** `PETSTORE_SERVICE_HOST`, `PETSTORE_DB_SERVICE_PORT_HTTP` */
const OF_SERVICE = /_SERVICE_(HOST|PORT)(_|$)/;

/** `PETSTORE_PORT_8080_TCP_ADDR` */
const OF_PORT = /_PORT_\d+(_|$)/;

/** Whether Kubernetes or Docker sets a variable for a service whose name begins with petstore. */
function isOfOrchestrator(name: string, value: string): boolean {
  if (OF_SERVICE.test(name) || OF_PORT.test(name)) return true;
  // `PETSTORE_PORT`, with a value like `tcp://10.0.0.1:8080`
  const isAddress = value.startsWith('tcp:') || value.startsWith('udp:');
  return name.endsWith('_PORT') && isAddress;
}

function refuse(valid: string): never {
  throw new InvalidArgumentError(`It must be ${valid}.`);
}

function text(word: string): string {
  return word.trim() === '' ? refuse('non-empty') : word;
}

/** A parser of decimal digits; `1e3` and `0x10` are probably mistakes. */
function integer(least: number, most: number, form = /^\d+$/): Parse<number> {
  const isValid = (word: string) =>
    form.test(word) && Number(word) >= least && Number(word) <= most;
  return (word) => (isValid(word) ? Number(word) : refuse(`a number from ${least} to ${most}`));
}

function seconds(least: number): Parse<number> {
  return (word) => Math.round(integer(least, 86_400, /^\d+(\.\d+)?$/)(word) * 1000);
}

function oneOf(...values: readonly string[]): Parse<string> {
  return (word) => (values.includes(word) ? word : refuse(`one of ${values.join(', ')}`));
}

function boolean(word: string): boolean {
  return oneOf('true', 'false')(word) === 'true';
}

/** Null if the setting is off: commander does not show undefined as a default. */
function orOff<T>(parse: Parse<T>): Parse<T | null> {
  return (word) => (word === 'off' ? null : parse(word));
}

function proxies(list: string): TrustProxy {
  const count = Number(list);
  if (/^\d+$/.test(list) && count >= 1 && count <= 16) return (_address, hop) => hop < count;
  try {
    return proxyAddress.compile(list.split(',').map((each) => each.trim()));
  } catch {
    return refuse(
      'a number of proxies from 1 to 16, or addresses and networks like 10.0.0.1,192.168.0.0/16',
    );
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
