import { suggestion, type UnreadableError, UsageError } from './errors.ts';

/** What commander refuses, in one line that says what to do. What was given to an unknown flag may be a key: it is not repeated. */
export function refusal({ code, message, flags, line }: UnreadableError): UsageError {
  const [, word = ''] = /'(-[^'=\s]*)/.exec(message) ?? [];
  if (code === 'commander.optionMissingArgument')
    return new UsageError(`${word.replace(/,$/, '')} needs a value.`, `'${line} --help' shows which.`);
  if (code !== 'commander.unknownOption') return new UsageError(message.replace(/^error: /, '').replaceAll('\n', ' '));
  if (/^--?(api-?)?(key|token)$/.test(word))
    return new UsageError(`No flag takes a key.`, `Keep it with 'petctl auth login', or set PETCTL_API_KEY.`);
  const names = flags.flatMap(({ name, negatable }) => (negatable ? [`--${name}`, `--no-${name}`] : [`--${name}`]));
  return new UsageError(`'${line}' has no flag ${word}.`, suggestion(word, names, `'${line} --help' shows all.`));
}
