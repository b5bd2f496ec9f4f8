import { deployments, service } from '@petstore/types';
import { type Command, Option } from 'commander';
import { UsageError } from './errors.ts';
import { parseChoice, parseTime, parseValue, type Word } from './input.ts';
import { formats, type OutputFormat } from './output/formats.ts';
import { kebab, suggestion } from './text.ts';

const [firstDeployment] = Object.values(deployments) as [string];
const deploymentNames = Object.keys(deployments) as (keyof typeof deployments)[];

/** The variables of the environment, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The checked values of the options that every command has. */
export interface Settings {
  readonly target: Target;
  readonly output: OutputFormat | undefined;
  readonly fields: string | undefined;
  readonly jq: string | undefined;
  /** In milliseconds. */
  readonly timeout: number;
  readonly retries: number;
  readonly isVerbose: boolean;
}

/** The service that a command calls. */
export interface Target {
  /** Its address: origin and path, without a slash at the end. */
  readonly baseUrl: string;
  /** The address that the key in the environment is for. */
  readonly environmentKeyFor: string;
}

/** The settings that a variable of the environment can set, too. */
const variables = {
  baseUrl: 'PETCTL_BASE_URL',
  deployment: 'PETCTL_DEPLOYMENT',
  output: 'PETCTL_OUTPUT',
  timeout: 'PETCTL_TIMEOUT',
  retries: 'PETCTL_RETRIES',
} as const;
type VariableSetting = keyof typeof variables;

const defaultTimeout = '30s';
const defaultRetries = '2';

interface Logins {
  /** The address of the last login. */
  lastAddress(): string | undefined;
}

/** The options that every command has, as they stand on the command line. */
interface Flags {
  baseUrl?: string;
  deployment?: string;
  output?: string;
  fields?: string;
  jq?: string;
  timeout?: string;
  retries?: string;
  quiet?: true;
  verbose?: true;
}

/**
 * The options that every command has. commander hands over each option when it reads it. `settings`
 * checks all options when commander has read the whole command line.
 */
export class CommonOptions {
  readonly #env: Environment;
  readonly #flags: Flags = {};

  constructor(env: Environment) {
    this.#env = env;
  }

  /** Adds the options to a command. If an option occurs twice, its last value takes precedence. */
  addTo(command: Command): void {
    for (const option of commonOptions()) {
      command.addOption(option).on(`option:${option.name()}`, (word?: string) => {
        Object.assign(this.#flags, { [option.attributeName()]: word ?? true });
      });
    }
  }

  get isQuiet(): boolean {
    return this.#flags.quiet === true;
  }

  /** Whether results, notices and errors are JSON. This is known before the values are checked. */
  get isJson(): boolean {
    const output = this.#word('output')?.text;
    return output === 'json' || output === 'jsonl';
  }

  /** Checks all values. A flag takes precedence over the environment. */
  settings(logins: Logins): Settings {
    rejectUnknownVariables(this.#env);
    const { fields, jq, verbose, output: outputFlag } = this.#flags;
    const output = this.#word('output');
    const timeout = this.#word('timeout') ?? { text: defaultTimeout, name: 'timeout' };
    const retries = this.#word('retries') ?? { text: defaultRetries, name: 'retries' };
    const settings: Settings = {
      target: this.#target(logins),
      output: output && parseChoice(output, formats),
      fields,
      jq,
      timeout: parseTime(timeout),
      retries: Number(parseValue(retries, { type: 'integer', minimum: 0, maximum: 100 })),
      isVerbose: verbose === true,
    };
    if (outputFlag !== undefined) checkJqOutput(settings);
    return settings;
  }

  /** Takes the address from the flags, the environment, the last login, or the first deployment. */
  #target(logins: Logins): Target {
    const inFlags = addressOf(this.#flagWord('baseUrl'), this.#flagWord('deployment'));
    const inEnvironment = addressOf(
      this.#variableWord('baseUrl'),
      this.#variableWord('deployment'),
    );
    const baseUrl = inFlags ?? inEnvironment ?? logins.lastAddress() ?? firstDeployment;
    // If the environment has no address, the key in the environment is for any address.
    return { baseUrl, environmentKeyFor: inEnvironment ?? baseUrl };
  }

  /** The word that sets a setting: the word of its flag, or else of its variable. */
  #word(setting: VariableSetting): Word | undefined {
    return this.#flagWord(setting) ?? this.#variableWord(setting);
  }

  #flagWord(setting: VariableSetting): Word | undefined {
    const text = this.#flags[setting];
    return text === undefined ? undefined : { text, name: `--${kebab(setting)}` };
  }

  #variableWord(setting: VariableSetting): Word | undefined {
    const name = variables[setting];
    const text = this.#env[name];
    return text === undefined ? undefined : { text, name };
  }
}

/** Makes the options that every command has, for one command. */
export function commonOptions(): Option[] {
  const option = (flags: string, description: string, choices?: readonly string[]) => {
    const made = new Option(flags, description).helpGroup('Options of every command:');
    if (choices) made.argChoices = [...choices];
    return made;
  };
  return [
    option('--base-url <url>', `The address of the service, ending in ${service.basePath}.`),
    option(
      '--deployment <name>',
      'A deployment of the service, instead of --base-url.',
      deploymentNames,
    ),
    option(
      '-o, --output <format>',
      'The format of results. Default: a table on a terminal, else tab-separated.',
      formats,
    ),
    option('--fields <names>', 'The properties to show, comma-separated, in this order.'),
    option(
      '--jq <filter>',
      'Filter the result with jq. With -o jsonl, jq filters each element as it arrives.',
    ),
    option(
      '--timeout <time>',
      `The time for a call with its retries, such as 30, 1.5s, 500ms or 2m. Default: ${defaultTimeout}.`,
    ),
    option(
      '--retries <number>',
      `How often petctl sends a failed request again. Default: ${defaultRetries}.`,
    ),
    option('-q, --quiet', 'Hide notices and progress.'),
    option('-v, --verbose', 'Show the requests on stderr.'),
  ];
}

/** Throws for an unknown variable that begins like a setting, because it may be misspelt. */
function rejectUnknownVariables(env: Environment): void {
  const known = [...Object.values(variables), 'PETCTL_API_KEY', 'PETCTL_KEYRING'];
  const unknown = Object.keys(env).find(
    (name) => name.startsWith('PETCTL_') && !known.includes(name),
  );
  if (unknown === undefined) return;
  const message = `${unknown} in the environment is not a setting.`;
  throw new UsageError(message, suggestion(unknown, known));
}

/**
 * The address that a base URL or a deployment gives. Throws if both are set, because they may
 * contradict each other.
 */
function addressOf(baseUrl: Word | undefined, deployment: Word | undefined): string | undefined {
  if (baseUrl && deployment)
    throw new UsageError(
      `${baseUrl.name} and ${deployment.name} both say where the service is.`,
      'Set only one of them.',
    );
  if (baseUrl) return parseAddress(baseUrl.text);
  return deployment && deployments[parseChoice(deployment, deploymentNames)];
}

/**
 * The address without slashes at its end. The error for an invalid address does not quote it,
 * because it may contain a password.
 */
function parseAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url && isHttp && !url.username && !url.password && !url.search && !url.hash)
    return (url.origin + url.pathname).replace(/\/+$/, '');
  throw new UsageError(
    'The base URL is invalid.',
    `Use an address such as ${firstDeployment}, without a user or a query.`,
  );
}

/** Throws for a format that --jq does not print. */
function checkJqOutput({ jq, output }: Settings): void {
  if (jq === undefined || output === 'json' || output === 'jsonl') return;
  throw new UsageError(
    `--jq cannot be combined with -o ${output}.`,
    'Use --jq with -o json or -o jsonl.',
  );
}
