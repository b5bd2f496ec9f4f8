import { devNull, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { suggestion, UsageError } from '../io/errors.ts';
import { changeJsonFile, readJsonFile } from '../io/files.ts';
import type { Environment } from '../io/process-io.ts';
import { isObject } from '../io/text.ts';
import { type SettingName, settings } from './settings.ts';

/** The configuration file: the selected profile, and the settings of each profile. */
export interface Profiles {
  readonly file: string;
  readonly selected: string | undefined;
  readonly profiles: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The settings that a profile may contain. */
export const profileKeys = Object.keys(settings).filter((name) => name !== 'profile');

/** Reads the configuration file, and throws for an unknown key. */
export function readProfiles(env: Environment): Profiles {
  const file = configFile(env);
  return parseProfiles(file, readJsonFile(file));
}

/** Changes the configuration file. */
export function changeProfiles(env: Environment, change: (stored: Profiles) => Omit<Profiles, 'file'>): void {
  const file = configFile(env);
  changeJsonFile(file, (data) => {
    const { selected: profile, profiles } = change(parseProfiles(file, data));
    return { profile, profiles };
  });
}

function parseProfiles(file: string, data: Record<string, unknown>): Profiles {
  const { profile, profiles = {}, ...others } = data;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new UsageError(
      `${file}: there is no key '${unknown}'.`,
      suggestion(unknown, ['profile', 'profiles'], `Use profile or profiles; a profile contains the settings.`),
    );
  if (profile !== undefined && typeof profile !== 'string')
    throw new UsageError(`${file}: profile must be text: the name of a profile.`);
  if (!isObject(profiles)) throw new UsageError(`${file}: profiles must be an object of profiles by name.`);
  const entries = Object.entries(profiles).map(([name, values]) => [name, readProfile(file, name, values)] as const);
  return { file, selected: profile, profiles: Object.fromEntries(entries) };
}

function readProfile(file: string, profile: string, values: unknown): Record<string, unknown> {
  if (!isObject(values)) throw new UsageError(`${file}: the profile '${profile}' must be an object.`);
  for (const [key, value] of Object.entries(values)) {
    if (!profileKeys.includes(key))
      throw new UsageError(
        `${file}, profile '${profile}': there is no setting '${key}'.`,
        suggestion(key, profileKeys),
      );
    if (!['string', 'number', 'boolean'].includes(typeof value))
      throw new UsageError(`${file}: ${key} of the profile '${profile}' must be a single value.`);
  }
  return values;
}

/** Throws if a profile neither exists nor is the default one. */
export function rejectUnknownProfile(profile: string, { file, profiles }: Profiles): void {
  if (profile === 'default' || Object.hasOwn(profiles, profile)) return;
  throw new UsageError(
    `There is no profile '${profile}' in ${file}.`,
    suggestion(profile, Object.keys(profiles), `'petctl config set <key> <value> --profile ${profile}' creates it.`),
  );
}

/** Whether a setting has this name. */
export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settings, name);
}

function configFile(env: Environment): string {
  return join(folder(env), 'config.json');
}

/** The file of the stored credentials. */
export function credentialsFile(env: Environment): string {
  return join(folder(env), 'credentials.json');
}

/** petctl's configuration folder. Ignores a relative XDG_CONFIG_HOME, as the XDG specification requires. */
function folder({ XDG_CONFIG_HOME, APPDATA, HOME }: Environment): string {
  if (XDG_CONFIG_HOME && isAbsolute(XDG_CONFIG_HOME)) return join(XDG_CONFIG_HOME, 'petctl');
  if (process.platform === 'win32' && APPDATA) return join(APPDATA, 'petctl');
  return join(homeFolder(HOME), '.config', 'petctl');
}

/** The user's home folder. A relative one is ignored, because the current folder must not configure petctl. */
function homeFolder(home: string | undefined): string {
  if (home && isAbsolute(home)) return home;
  try {
    return userInfo().homedir;
  } catch {
    // The system does not know the account, as in some containers.
    return devNull;
  }
}
