import { Command, Argument as CommandArgument, Option } from 'commander';
import { suggestion, UsageError } from '../io/errors.ts';
import type { Argument, Flag } from '../settings/flag.ts';
import { expected, kindOf, type Read, readPart, readValue, validate, wordsOf } from '../settings/value.ts';
import type { CommandInput, CommandNode, Located } from './command.ts';
import { flagsOf } from './command.ts';

/** A parsed command line. */
export interface Reading extends Located, CommandInput {
  /** Whether `--version` stands before any command. */
  readonly version: boolean;
}

/** The readable part of a command line. */
export interface PartialReading extends Reading {
  /** The words after the command that are neither known flags nor their values. */
  readonly words: readonly string[];
  /** The unparsed value of each flag. */
  readonly flagWords: ReadonlyMap<Flag, string>;
}

/** Parses a command line by the command tree. Throws a UsageError if it is invalid. */
export function read(root: CommandNode, argv: readonly string[]): Reading {
  return readBy(root, argv, false);
}

/** Parses as much of a command line as possible, for completion and for the format of errors. */
export function readPartially(root: CommandNode, argv: readonly string[]): PartialReading {
  return readBy(root, argv, true);
}

function readBy(root: CommandNode, argv: readonly string[], isPartial: boolean): PartialReading {
  const state: State = { argv, isPartial, version: false, values: new Map(), flagWords: new Map(), reached: undefined };
  const program = new Reader({ path: [], node: root }, state);
  program.declare();
  program.parse([...argv], { from: 'user' });
  const { located, args, processedArgs } = state.reached ?? program;
  const hasRest = located.node.verbatim ?? located.node.args?.at(-1)?.rest;
  const { version, values: flags, flagWords } = state;
  return { ...located, version, flags, flagWords, args: hasRest ? processedArgs.flat() : processedArgs, words: args };
}

/** The state that all levels of a command line share. */
interface State {
  readonly argv: readonly string[];
  readonly isPartial: boolean;
  version: boolean;
  /** By the name of the flag. */
  readonly values: Map<string, unknown>;
  readonly flagWords: Map<Flag, string>;
  reached: Reader | undefined;
}

/** A commander command for a node of the tree, with petctl's error messages. */
class Reader extends Command {
  readonly located: Located;
  readonly #state: State;

  constructor(located: Located, state: State) {
    super(located.path.at(-1) ?? located.node.name);
    this.located = located;
    this.#state = state;
    this.helpOption(false).helpCommand(false).enablePositionalOptions().exitOverride();
    this.action(() => {
      for (const flag of flagsOf(located.node)) if (!state.isPartial) checkWhole(flag, state.values.get(flag.name));
      state.reached = this;
    });
  }

  /** Declares the parts of the command that the command line may use. Declaring all takes longer than parsing. */
  declare(): void {
    const { node, path } = this.located;
    const { isPartial, argv } = this.#state;
    if (node.verbatim || (node.commands && !isPartial)) this.passThroughOptions();
    if (node.verbatim) return void this.argument('[words...]');
    for (const flag of flagsOf(node)) if (argv.some((word) => mayName(word, flag))) this.#addFlag(flag);
    for (const argument of node.args ?? []) this.addArgument(this.#argumentOf(argument));
    for (const child of node.commands ?? [])
      if (argv.includes(child.name))
        this.addCommand(new Reader({ path: [...path, child.name], node: child }, this.#state));
    this.hook('preSubcommand', (_, child) => (child as Reader).declare());
  }

  get #line(): string {
    return ['petctl', ...this.located.path].join(' ');
  }

  #addFlag(flag: Flag): void {
    const { name, short, rules, value, negatable } = flag;
    const names = `${short ? `-${short}, ` : ''}--${name}`;
    const take = (text: string | undefined) => this.#take(flag, text);
    if (kindOf(rules) !== 'boolean')
      return void this.addOption(new Option(`${names} <${value ?? 'value'}>`).argParser(take));
    this.addOption(new Option(names).preset('true').argParser(take));
    if (negatable) this.addOption(new Option(`--no-${name}`).preset('false').argParser(take));
    // commander rejects a value of a switch, so the whole word becomes an option.
    for (const word of new Set(this.#state.argv.filter((one) => one.startsWith(`--${name}=`)))) {
      const option = new Option(`--${name}`).preset(word.slice(name.length + 3)).argParser(take);
      option.long = word;
      this.addOption(option);
    }
  }

  /** Stores the value of a flag. */
  #take(flag: Flag, text: string | undefined): void {
    const { isPartial, flagWords, values } = this.#state;
    if (text === undefined) return;
    flagWords.set(flag, text);
    if (flag.name === 'version' && this.located.path.length === 0) this.#state.version = text === 'true';
    else if (!isPartial) addValue(flag, readFlag(flag, text), values);
    else {
      const value = readWord(flag, text);
      if ('value' in value && !values.has(flag.name)) values.set(flag.name, value.value);
    }
  }

  #argumentOf({ name, rules, required, rest }: Argument): CommandArgument {
    const word = rest ? `${name}...` : name;
    const readOne = (text: string) => (this.#state.isPartial ? text : readArgument(name, rules, text));
    return new CommandArgument(required ? `<${word}>` : `[${word}]`).argParser((text, before: unknown) =>
      rest ? [...(Array.isArray(before) ? before : []), readOne(text)] : readOne(text),
    );
  }

  /** commander calls this and the next three methods for errors. */
  unknownOption(text: string): void {
    if (this.#state.isPartial || this.located.node.verbatim) return;
    // The value of an unknown flag may be a key, so the message omits it.
    const [word = ''] = text.split(/[=\s]/, 1);
    if (/^--?(api-?)?(key|token)$/.test(word))
      throw new UsageError(
        'There is no flag for keys.',
        "Store the key with 'petctl auth login', or set PETCTL_API_KEY.",
      );
    const names = flagsOf(this.located.node).flatMap(({ name, negatable }) =>
      negatable ? [`--${name}`, `--no-${name}`] : [`--${name}`],
    );
    if (names.includes(word)) throw new UsageError(`${word} takes no value.`, 'Remove the value.');
    throw new UsageError(
      `'${this.#line}' has no flag ${word}.`,
      suggestion(word, names, `See '${this.#line} --help'.`),
    );
  }

  optionMissingArgument({ short, long }: Option): void {
    if (this.#state.isPartial) return;
    const names = [short, long].filter(Boolean).join(', ');
    throw new UsageError(`${names} needs a value.`, `See '${this.#line} --help'.`);
  }

  missingArgument(name: string): void {
    if (this.#state.isPartial || this.#state.values.has('help')) return;
    throw new UsageError(`<${name}> is missing.`, `See '${this.#line} --help'.`);
  }

  _excessArguments(words: readonly string[]): void {
    const { commands, args = [] } = this.located.node;
    if (this.#state.isPartial) return;
    const word = words[args.length] ?? '';
    if (!commands && /^petctl auth /.test(this.#line))
      // The word may be a key, so the message omits it.
      throw new UsageError(
        `'${this.#line}' takes no argument.`,
        "Pass a key on stdin: 'petctl auth login --with-key'.",
      );
    if (!commands) throw new UsageError(`'${this.#line}' takes no '${word}'.`, `See '${this.#line} --help'.`);
    const names = commands.filter(({ hidden }) => !hidden).map(({ name }) => name);
    throw new UsageError(
      `There is no command '${this.#line} ${word}'.`,
      suggestion(word, names, `Use one of ${names.join(', ')}.`),
    );
  }
}

/** Whether a word may contain this flag. */
function mayName(word: string, { name, short }: Flag): boolean {
  if (word.startsWith('--')) return word.startsWith(`--${name}`) || word.startsWith(`--no-${name}`);
  return short !== undefined && word.startsWith('-') && word.includes(short);
}

/** Adds a value of a flag to earlier ones: switches count, lists and maps grow. */
function addValue({ name, rules, repeatable, negatable }: Flag, value: unknown, values: Map<string, unknown>): void {
  const before = values.get(name);
  const kind = kindOf(rules);
  if (kind === 'boolean') {
    // A switch without --no- form is off without an entry.
    if (value === false && !negatable) values.delete(name);
    else values.set(name, repeatable ? Number(before ?? 0) + 1 : value);
  } else if (before !== undefined && !repeatable) {
    throw new UsageError(`--${name} appears twice.`, 'Use it once.');
  } else if (!repeatable || value === null) {
    values.set(name, value);
  } else if (kind === 'object') {
    values.set(name, Object.assign({}, before, value));
  } else {
    const more = kind === 'array' && Array.isArray(value) ? value : [value];
    values.set(name, Array.isArray(before) ? [...before, ...more] : more);
  }
}

/** Validates a complete list. Objects may still get properties from other flags. */
function checkWhole({ name, rules }: Flag, value: unknown): void {
  if (value === undefined || kindOf(rules) !== 'array') return;
  const read = validate(value, rules);
  if ('problem' in read) throw new UsageError(`--${name} ${read.problem}.`, `It must be ${expected(rules)}.`);
}

function readWord({ rules }: Flag, text: string): Read {
  return /^(array|object)$/.test(kindOf(rules)) ? readPart(text, rules) : readValue(text, rules);
}

function readFlag(flag: Flag, text: string): unknown {
  const { name, rules } = flag;
  const read = readWord(flag, text);
  if ('value' in read) return read.value;
  const fallback =
    kindOf(rules) === 'boolean' ? `Use --${name}=true or --${name}=false.` : `It must be ${expected(rules)}.`;
  throw new UsageError(`--${name} '${text}' ${read.problem}.`, suggestion(text, wordsOf(rules), fallback));
}

function readArgument(name: string, rules: Argument['rules'], text: string): unknown {
  const read = readValue(text, rules);
  if ('value' in read) return read.value;
  throw new UsageError(
    `<${name}> '${text}' ${read.problem}.`,
    suggestion(text, wordsOf(rules), `It must be ${expected(rules)}.`),
  );
}
