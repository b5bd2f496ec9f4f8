import { type Command, Option } from 'commander';
import { deployments, type Setting } from '../config/settings.ts';
import type { Given } from '../config.ts';

/** Gives a command the flags of these settings. */
export function addSettings(command: Command, settings: readonly Setting<unknown>[]): Command {
  for (const { flags, variable, about, fallback } of settings) {
    const [usual, ...others] = deployments.map((name) => ({ name, text: fallback(name) }));
    const different = others
      .filter(({ text }) => text !== usual?.text)
      .map(({ name, text }) => `, ${text} for ${name}`);
    const text = `${usual?.text}${different.join('')}`;
    command.addOption(new Option(flags, about).env(variable).default(usual?.text, text));
  }
  return command;
}

/** What was given to a command: its flag, else the variable. Commander would not see an environment but the process's. */
export function givenTo(command: Command, env: NodeJS.ProcessEnv): Given {
  return ({ flags, variable }) => {
    const option = command.options.find((candidate) => candidate.flags === flags);
    const name = option?.attributeName() ?? '';
    if (option?.long && command.getOptionValueSource(name) === 'cli') {
      return { source: option.long, text: String(command.getOptionValue(name)) };
    }
    const text = env[variable];
    return text === undefined ? undefined : { source: variable, text };
  };
}
