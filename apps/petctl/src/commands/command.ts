import { closest } from '@petstore/types';
import { Command, type ErrorOptions, type HelpContext } from 'commander';
import { UsageError } from '../errors.ts';
import { quoted, suggestion } from '../text.ts';

/**
 * A command that throws a `UsageError`, where commander would print a message and end the process.
 */
export class PetctlCommand extends Command {
  override createCommand(name?: string): PetctlCommand {
    return new PetctlCommand(name);
  }

  override error(message: string, { code }: ErrorOptions = {}): never {
    throw usageErrorOf(this, code, message.replace(/^error: /, ''));
  }

  // commander has no hook for a missing or misspelt command. It asks for the text of help instead, so
  // this method throws.
  override helpInformation(context?: HelpContext): string {
    // A group without a command: `petctl pets`.
    if (context?.error) throw missingCommand(this);
    // A misspelt command: `petctl pets lsit --help`.
    const [word] = this.args;
    const isGroup = this.commands.length > 0;
    if (isGroup && word !== undefined && !word.startsWith('-') && !namesBelow(this).includes(word))
      throw unknownCommand(this, word);
    return super.helpInformation(context);
  }
}

/** The names of the commands of a group. */
function namesBelow(group: Command): string[] {
  return group.commands.map((command) => command.name());
}

/** All words of a command: `petctl pets list`. */
function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();
}

/** The error for an invalid command line. It does not quote values, because a value may be a key. */
function usageErrorOf(command: Command, code: string | undefined, message: string): UsageError {
  const hint = `See '${fullName(command)} --help'.`;
  switch (code) {
    case 'commander.unknownCommand':
      return unknownCommand(command, command.args[0] ?? '');
    case 'commander.unknownOption':
      return unknownOption(command, flagIn(message));
    case 'commander.excessArguments':
      return new UsageError(`'${fullName(command)}' got too many arguments.`, hint);
    default:
      return new UsageError(sentence(message), hint);
  }
}

/** A message of commander as a sentence: with a capital letter and a full stop. */
function sentence(message: string): string {
  const text = message.replace(/\.$/, '');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function missingCommand(group: Command): UsageError {
  const name = fullName(group);
  return new UsageError(
    `'${name}' needs a command.`,
    `Use ${namesBelow(group).join(', ')}; '${name} --help' explains them.`,
  );
}

function unknownCommand(group: Command, name: string): UsageError {
  const message = `'${fullName(group)}' has no command ${quoted(name)}.`;
  return new UsageError(message, suggestion(name, namesBelow(group)));
}

/** Flags that users try in order to pass a key. */
const keyFlags = ['--key', '--token', '--api-key', '--apikey', '--api-token'];

function unknownOption(command: Command, flag: string): UsageError {
  const message = `'${fullName(command)}' has no option '${flag}'.`;
  if (keyFlags.includes(flag))
    return new UsageError(
      message,
      "No option takes a key: use 'petctl auth login', or set PETCTL_API_KEY.",
    );
  const options = command.createHelp().visibleOptions(command);
  const names = options.map((option) => option.name());
  const similar = closest(flag.slice(2), names);
  return new UsageError(
    message,
    similar === undefined ? `See '${fullName(command)} --help'.` : `Did you mean '--${similar}'?`,
  );
}

/**
 * The flag in commander's message, without its value: `--api-key` of `'--api-key=secret'`, `-x` of
 * `'-xsecret'`.
 */
function flagIn(message: string): string {
  const quotedFlag = message.slice(message.indexOf("'") + 1, message.lastIndexOf("'"));
  if (!quotedFlag.startsWith('--')) return quotedFlag.slice(0, 2);
  const [flag = ''] = quotedFlag.split('=');
  return flag;
}
