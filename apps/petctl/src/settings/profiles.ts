import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { suggestion, UsageError } from '../io/errors.ts';
import { isObject, readJsonFile } from '../io/files.ts';
import { type SettingName, settings } from './settings.ts';

/** What the configuration file says: which profile to use, and what each of them sets. */
export interface Profiles {
  readonly file: string;
  readonly chosen: string | undefined;
  readonly profiles: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The names that a profile may set. */
export const profileKeys = Object.keys(settings).filter((name) => name !== 'profile');

/** Reads the configuration file. A key that it does not know is an error, because it was meant to do something. */
export function readProfiles(file: string): Profiles {
  const { profile, profiles = {}, ...others } = readJsonFile(file);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new UsageError(
      `${file}: there is no key '${unknown}'.`,
      suggestion(unknown, ['profile', 'profiles'], `There are profile and profiles; settings stand inside a profile.`),
    );
  if (profile !== undefined && typeof profile !== 'string')
    throw new UsageError(`${file}: profile must be the name of one.`);
  if (!isObject(profiles)) throw new UsageError(`${file}: profiles must be an object with one profile for each name.`);
  const entries = Object.entries(profiles).map(([name, values]) => [name, readProfile(file, name, values)] as const);
  return { file, chosen: profile, profiles: Object.fromEntries(entries) };
}

function readProfile(file: string, profile: string, values: unknown): Record<string, string> {
  if (!isObject(values)) throw new UsageError(`${file}: the profile '${profile}' must be an object.`);
  for (const [key, value] of Object.entries(values)) {
    if (!profileKeys.includes(key))
      throw new UsageError(
        `${file}: the profile '${profile}' has an unknown key '${key}'.`,
        suggestion(key, profileKeys, `There are ${profileKeys.join(', ')}.`),
      );
    if (!['string', 'number', 'boolean'].includes(typeof value))
      throw new UsageError(`${file}: ${key} of the profile '${profile}' must be a single value.`);
  }
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)]));
}

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settings, name);
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the profiles are. */
export function configFile(env: Environment): string {
  return join(folder(env), 'config.json');
}

/** Where keys are, or in which keyring. */
export function credentialsFile(env: Environment): string {
  return join(folder(env), 'credentials.json');
}

/** The folder that the system keeps for petctl. XDG says that a relative one is to be ignored. */
function folder({ XDG_CONFIG_HOME, APPDATA, HOME }: Environment): string {
  if (XDG_CONFIG_HOME && isAbsolute(XDG_CONFIG_HOME)) return join(XDG_CONFIG_HOME, 'petctl');
  if (process.platform === 'win32' && APPDATA) return join(APPDATA, 'petctl');
  return join(HOME || homedir(), '.config', 'petctl');
}
