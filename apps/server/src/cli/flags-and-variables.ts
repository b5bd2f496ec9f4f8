import { type Command, Option } from 'commander';
import {
  type Config,
  configFrom,
  databaseVariable,
  dataDirFrom,
  keysVariable,
  type TextOfSetting,
} from '../config/config.ts';
import { deployments, type Setting } from '../config/settings.ts';

/** Adds a command with the flags of settings. Its help shows the summary, then the details. */
export function addCommand(
  parent: Command,
  name: string,
  settings: readonly Setting<unknown>[],
  summary: string,
  details?: string,
): Command {
  const description = details === undefined ? summary : `${summary}.\n\n${details}`;
  return addSettings(parent.command(name).summary(summary).description(description), settings);
}

/** Adds the flags of settings to a command. */
export function addSettings(command: Command, settings: readonly Setting<unknown>[]): Command {
  for (const { flags, variable, about, fallback } of settings) {
    const first = fallback(deployments[0]);
    const exceptions = deployments.filter((name) => fallback(name) !== first);
    const shown = [first, ...exceptions.map((name) => `${fallback(name)} for ${name}`)].join(', ');
    command.addOption(new Option(flags, about).env(variable).default(first, shown));
  }
  return command;
}

/** The configuration from a command's flags and the environment. Throws if a setting is invalid. */
export function configOf(command: Command, env: NodeJS.ProcessEnv): Config {
  return configFrom(textOfSetting(command, env), { apiKeys: env[keysVariable], databaseUrl: env[databaseVariable] });
}

/** The data folder, for commands that need no other setting. */
export function dataDirOf(command: Command, env: NodeJS.ProcessEnv): string {
  return dataDirFrom(textOfSetting(command, env));
}

/** The text of each setting: its flag, else its variable in `env`. Commander itself would read `process.env`. */
function textOfSetting(command: Command, env: NodeJS.ProcessEnv): TextOfSetting {
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
