import { BlockList, isIP } from 'node:net';
import { closest } from '@petstore/types';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from './errors.ts';
import type { Proxies } from './log.ts';

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
  readonly trustProxy: Proxies | undefined;
  readonly corsOrigin: readonly string[];
  readonly rateLimit: number | undefined;
  readonly logLevel: string;
  readonly validateResponses: boolean;
  readonly apiKeys: string | undefined;
  /** Never print it, because it may contain a password. */
  readonly databaseUrl: string | undefined;
}

type Parse = (text: string) => unknown;
type Setting = readonly [flags: string, variable: string, about: string, usual: string, parse: Parse];

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'];

const INVALID = Symbol('invalid');
const valid = new WeakMap<Parse, string>();
const validOf = (parse: Parse) => valid.get(parse) ?? 'a text that is not empty';
valid.set(yesOrNo, 'true or false');
valid.set(proxies, 'a number of proxies from 1 to 16, or addresses and networks like 10.0.0.1,192.168.0.0/16');
valid.set(origins, "'off', '*', or origins like https://shop.example separated by commas, without a path");

/** All settings with a flag. A flag overrides its variable, which overrides the default. */
const settings: readonly Setting[] = [
  ['--host <address>', 'HOST', 'address to listen on', '127.0.0.1', text],
  ['--port <number>', 'PORT', 'port to listen on; 0 takes any free one', '8080', integer(0, 65_535)],
  ['--data-dir <folder>', 'PETSTORE_DATA_DIR', 'folder for keys and documents', 'data', text],
  ['--body-limit <bytes>', 'PETSTORE_BODY_LIMIT', 'largest request body', '1048576', integer(1, 2 ** 26)],
  ['--request-timeout <seconds>', 'PETSTORE_REQUEST_TIMEOUT', 'time for a request to arrive', '30', seconds(0.001)],
  [
    '--drain-delay <seconds>',
    'PETSTORE_DRAIN_DELAY',
    'time to serve on after a stop signal, with /readyz at 503',
    '0',
    seconds(0),
  ],
  [
    '--shutdown-timeout <seconds>',
    'PETSTORE_SHUTDOWN_TIMEOUT',
    'time to finish requests after a stop signal',
    '10',
    seconds(0.001),
  ],
  [
    '--admin-port <number>',
    'PETSTORE_ADMIN_PORT',
    'separate port for /metrics, /healthz and /readyz',
    'off',
    orOff(integer(0, 65_535)),
  ],
  [
    '--trust-proxy <proxies>',
    'PETSTORE_TRUST_PROXY',
    'proxies in front: their number, or their addresses separated by commas',
    'off',
    orOff(proxies),
  ],
  [
    '--cors-origin <origins>',
    'PETSTORE_CORS_ORIGIN',
    "origins whose pages may call the API, separated by commas, or '*'",
    'off',
    origins,
  ],
  [
    '--rate-limit <number>',
    'PETSTORE_RATE_LIMIT',
    'requests per minute and key',
    'off',
    orOff(integer(1, 1_000_000_000)),
  ],
  ['--log-level <level>', 'PETSTORE_LOG_LEVEL', `level of the log: ${levels.join(', ')}`, 'info', oneOf(levels)],
  [
    '--validate-responses <true|false>',
    'PETSTORE_VALIDATE_RESPONSES',
    'compare every response with the spec',
    'false',
    yesOrNo,
  ],
];

/** The settings without a flag, because process lists show flags. */
export const secrets = { apiKeys: 'PETSTORE_API_KEYS', databaseUrl: 'DATABASE_URL' };

/** Adds the flags of all settings to a command, or only some of them. */
export function addSettings(command: Command, only?: readonly string[]): Command {
  for (const [flags, variable, about, usual, parse] of settings) {
    if (only && !only.includes(variable)) continue;
    const option = new Option(flags, about).env(variable).default(parse(usual), usual);
    command.addOption(
      option.argParser((given) => {
        // The message has the valid values only: what was given may be a secret.
        const value = parse(given);
        if (value === INVALID) throw new InvalidArgumentError(`It must be ${validOf(parse)}.`);
        return value;
      }),
    );
  }
  return command;
}

/** The configuration from the options of a command and the environment. */
export function configOf(options: Record<string, unknown>, env: NodeJS.ProcessEnv): Config {
  rejectUnknown(env);
  return {
    ...(options as unknown as Config),
    apiKeys: env[secrets.apiKeys],
    databaseUrl: env[secrets.databaseUrl],
  };
}

/** Variables of the client and of the tests, and those that Kubernetes and Docker set for services named petstore. */
const others =
  /^PETSTORE_(API_KEY$|BASE_URL$|TEST_)|_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const address = /^(tcp|udp|sctp):\/\//;

/** Refuses variables that look like settings, because they may be misspelt. */
function rejectUnknown(env: NodeJS.ProcessEnv): void {
  const known = [...Object.values(secrets), ...settings.map(([, variable]) => variable)];
  for (const [name, value = ''] of Object.entries(env)) {
    if (!name.startsWith('PETSTORE_') || known.includes(name) || others.test(name) || address.test(value)) continue;
    const best = closest(name, known);
    const hint = best === undefined ? '--help shows all.' : `did you mean ${best}?`;
    throw new UsageError(`${name} in the environment is not a setting; ${hint}`);
  }
}

function described(words: string, parse: Parse): Parse {
  valid.set(parse, words);
  return parse;
}

function text(word: string): unknown {
  return word.trim() === '' ? INVALID : word;
}

/** A whole number in decimal digits; `1e3` and `0x10` are probably mistakes. */
function integer(least: number, most: number): Parse {
  return described(`a whole number from ${least} to ${most}`, (word) => {
    const value = Number(word);
    return /^\d+$/.test(word) && value >= least && value <= most ? value : INVALID;
  });
}

function seconds(least: number): Parse {
  return described(`a number of seconds from ${least} to 86400`, (word) => {
    const value = Number(word);
    return /^\d+(\.\d+)?$/.test(word) && value >= least && value <= 86_400 ? Math.round(value * 1000) : INVALID;
  });
}

function oneOf(values: readonly string[]): Parse {
  return described(`one of ${values.join(', ')}`, (word) => (values.includes(word) ? word : INVALID));
}

function orOff(parse: Parse): Parse {
  return described(`'off' or ${validOf(parse)}`, (word) => (word === 'off' ? undefined : parse(word)));
}

function yesOrNo(word: string): unknown {
  return word === 'true' || word === 'false' ? word === 'true' : INVALID;
}

function proxies(list: string): unknown {
  const count = integer(1, 16)(list);
  if (count !== INVALID) return count;
  const found = new BlockList();
  for (const entry of list.split(',')) {
    const [host = '', length, more] = entry.trim().split('/');
    const version = isIP(host);
    const bits = version === 4 ? 32 : 128;
    const prefix = length === undefined ? bits : integer(0, bits)(length);
    if (version === 0 || typeof prefix !== 'number' || more !== undefined) return INVALID;
    found.addSubnet(host, prefix, version === 4 ? 'ipv4' : 'ipv6');
  }
  return found;
}

/** Origins exactly as browsers send them. */
function origins(list: string): unknown {
  if (list === 'off') return [];
  const all = list.split(',').map((origin) => origin.trim());
  const isOrigin = (word: string) => /^https?:/.test(word) && URL.parse(word)?.origin === word;
  return list === '*' || all.every(isOrigin) ? all : INVALID;
}
