import { Command, Argument as CommandArgument, Option } from 'commander';
import { type Argument, type Flag, flagWords } from '../flags/flag.ts';
import { enumWords, expected, kindOf, type ParsedValue, parseValue, parseWord } from '../flags/parse-value.ts';
import { suggestion, UsageError } from '../io/errors.ts';
import type { Schema } from '../old.ts';
import { type CommandAtPath, type CommandInput, type CommandNode, flagsOf } from './command.ts';

/** A parsed command line. */
export interface CommandLine extends CommandAtPath, CommandInput {
  /** Whether `--version` stands before any command. */
  readonly version: boolean;
  /** The words after the command that are neither known flags nor their values. */
  readonly words: readonly string[];
  /** The unparsed value of each flag. */
  readonly flagTexts: ReadonlyMap<Flag, string>;
}

/**
 * Parses a command line by the command tree. Throws a UsageError if the command line is invalid, unless `isPartial`: completion
 * and `reportError` need only its valid part.
 */
export function parse(root: CommandNode, argv: readonly string[], { isPartial = false } = {}): CommandLine {
  const state: State = { argv, isPartial, version: false, values: new Map(), flagTexts: new Map(), reached: undefined };
  const program = new CommandParser({ path: [], node: root }, state);
  program.declare();
  program.parse([...argv], { from: 'user' });
  const { located, args, processedArgs } = state.reached ?? program;
  const { version, values: flags, flagTexts } = state;
  return { ...located, version, flags, flagTexts, args: processedArgs, words: args };
}

/** The state that the parsers of all levels of a command line share. */
interface State {
  readonly argv: readonly string[];
  readonly isPartial: boolean;
  version: boolean;
  /** By the name of the flag. */
  readonly values: Map<string, unknown>;
  readonly flagTexts: Map<Flag, string>;
  /** The parser of the selected command; its action sets it. */
  reached: CommandParser | undefined;
}

/** A commander command for a node of the tree, with petctl's error messages. */
class CommandParser extends Command {
  readonly located: CommandAtPath;
  readonly #state: State;

  constructor(located: CommandAtPath, state: State) {
    super(located.path.at(-1) ?? located.node.name);
    this.located = located;
    this.#state = state;
    this.helpOption(false).helpCommand(false).enablePositionalOptions().exitOverride();
    this.action(() => {
      state.reached = this;
    });
  }

  /** Declares the parts of the command that the command line may use, because declaring all takes longer than parsing. */
  declare(): void {
    const { node, path } = this.located;
    const { isPartial, argv } = this.#state;
    if (node.commands && !isPartial) this.passThroughOptions();
    for (const flag of flagsOf(node)) if (argv.some((word) => mayContain(word, flag))) this.#addFlag(flag);
    for (const argument of node.args ?? []) this.addArgument(this.#argumentOf(argument));
    for (const child of node.commands ?? [])
      if (argv.includes(child.name))
        this.addCommand(new CommandParser({ path: [...path, child.name], node: child }, this.#state));
    this.hook('preSubcommand', (_, child) => (child as CommandParser).declare());
  }

  get #commandName(): string {
    return ['petctl', ...this.located.path].join(' ');
  }

  #addFlag(flag: Flag): void {
    const { name, short, schema, valueName, negatable } = flag;
    const names = `${short ? `-${short}, ` : ''}--${name}`;
    const store = (text: string | undefined) => this.#store(flag, text);
    if (kindOf(schema) !== 'boolean')
      return void this.addOption(new Option(`${names} <${valueName ?? 'value'}>`).argParser(store));
    this.addOption(new Option(names).preset('true').argParser(store));
    if (negatable) this.addOption(new Option(`--no-${name}`).preset('false').argParser(store));
    // commander rejects a value of a switch, so each word such as `--tame=false` becomes an option of its own.
    for (const word of new Set(this.#state.argv.filter((one) => one.startsWith(`--${name}=`)))) {
      const option = new Option(`--${name}`).preset(word.slice(name.length + 3)).argParser(store);
      option.long = word;
      this.addOption(option);
    }
  }

  /** Stores the value of a flag. */
  #store(flag: Flag, text: string | undefined): void {
    const { isPartial, flagTexts, values } = this.#state;
    // In a partial command line the value may be missing.
    if (text === undefined) return;
    flagTexts.set(flag, text);
    const { name, schema } = flag;
    // A word may be only a part of a list or an object, so the command validates the whole value.
    const parsed = /^(array|object)$/.test(kindOf(schema)) ? parseWord(text, schema) : parseValue(text, schema);
    if (name === 'version' && this.located.path.length === 0) this.#state.version = text === 'true';
    else if (!isPartial) addValue(flag, validValue(parsed, `--${name}`, schema, text), values);
    else if ('value' in parsed && !values.has(name)) values.set(name, parsed.value);
  }

  #argumentOf({ name, required, rest, schema }: Argument): CommandArgument {
    const word = rest ? `${name}...` : name;
    const argument = new CommandArgument(required ? `<${word}>` : `[${word}]`);
    if (rest || this.#state.isPartial) return argument;
    return argument.argParser((text) => validValue(parseValue(text, schema), `<${name}>`, schema, text));
  }

  /** commander calls this method and the next three for errors. */
  unknownOption(text: string): void {
    // The value of an unknown flag may be a key, so the message omits it.
    const [word = ''] = text.split(/[=\s]/, 1);
    if (/^--?(api-?)?(key|token)$/.test(word))
      return this.#reject(
        'There is no flag for keys.',
        "Store the key with 'petctl auth login', or set PETCTL_API_KEY.",
      );
    const names = flagsOf(this.located.node).flatMap(flagWords);
    if (names.includes(word)) return this.#reject(`${word} takes no value.`, 'Remove the value.');
    this.#reject(`'${this.#commandName}' has no flag ${word}.`, suggestion(word, names, this.#helpHint));
  }

  optionMissingArgument({ short, long }: Option): void {
    this.#reject(`${[short, long].filter(Boolean).join(', ')} needs a value.`, this.#helpHint);
  }

  missingArgument(name: string): void {
    if (!this.#state.values.has('help')) this.#reject(`<${name}> is missing.`, this.#helpHint);
  }

  _excessArguments(words: readonly string[]): void {
    const { commands, args = [] } = this.located.node;
    const word = words[args.length] ?? '';
    // The word may be a key, so the message omits it.
    if (!commands && this.located.path[0] === 'auth')
      return this.#reject(
        `'${this.#commandName}' takes no argument.`,
        "Pass a key on stdin: 'petctl auth login --with-key'.",
      );
    if (!commands) return this.#reject(`'${this.#commandName}' takes no argument '${word}'.`, this.#helpHint);
    const names = commands.map(({ name }) => name);
    this.#reject(`There is no command '${this.#commandName} ${word}'.`, suggestion(word, names));
  }

  /** Throws, unless the command line may be invalid. */
  #reject(message: string, hint: string): void {
    if (!this.#state.isPartial) throw new UsageError(message, hint);
  }

  get #helpHint(): string {
    return `See '${this.#commandName} --help'.`;
  }
}

/** Whether a word may contain this flag. */
function mayContain(word: string, { name, short }: Flag): boolean {
  if (word.startsWith('--')) return word.startsWith(`--${name}`) || word.startsWith(`--no-${name}`);
  return short !== undefined && word.startsWith('-') && word.includes(short);
}

/** Adds a value of a flag to earlier ones: switches count, lists and maps grow. */
function addValue({ name, schema, repeatable, negatable }: Flag, value: unknown, values: Map<string, unknown>): void {
  const before = values.get(name);
  const kind = kindOf(schema);
  if (kind === 'boolean') {
    // A switch that is not negatable has no entry if it is off.
    if (value === false && !negatable) values.delete(name);
    else values.set(name, repeatable ? Number(before ?? 0) + 1 : value);
  } else if (before !== undefined && !repeatable) {
    throw new UsageError(`--${name} appears twice.`, 'Use it once.');
  } else if (!repeatable || value === null) {
    values.set(name, value);
  } else if (kind === 'object') {
    const repeated = Object.keys(Object(value)).find((key) => Object.hasOwn(Object(before), key));
    if (repeated !== undefined) throw new UsageError(`--${name} sets '${repeated}' twice.`, 'Set it once.');
    values.set(name, { ...Object(before), ...Object(value) });
  } else {
    const more = kind === 'array' && Array.isArray(value) ? value : [value];
    values.set(name, Array.isArray(before) ? [...before, ...more] : more);
  }
}

/** The parsed value of a flag or an argument; throws if it is invalid. */
function validValue(parsed: ParsedValue, name: string, schema: Schema, text: string): unknown {
  if ('value' in parsed) return parsed.value;
  const isSwitch = kindOf(schema) === 'boolean' && name.startsWith('--');
  const words = enumWords(schema);
  const isListed = words.length > 0 && parsed.problem.endsWith(words.join(', '));
  const allowed = isListed ? '' : `It must be ${expected(schema)}.`;
  // The value of a switch may be a key, so the message omits it.
  throw new UsageError(
    `${isSwitch ? `The value of ${name}` : `${name} '${text}'`} ${parsed.problem}.`,
    isSwitch ? `Use ${name}=true or ${name}=false.` : suggestion(text, words, allowed) || undefined,
  );
}
