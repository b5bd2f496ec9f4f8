import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { connect, type Deployment } from '@petstore/client';
import { service } from '@petstore/types';
import { suggestion, UsageError } from '../io/errors.ts';
import { isObject, readJsonFile } from '../io/files.ts';
import type { Environment } from '../io/io.ts';
import { type Setting, type SettingName, settings } from './settings.ts';
import { readValue } from './value.ts';

/** The configuration file: the selected profile, and the settings of each profile. */
export interface Profiles {
  readonly file: string;
  readonly selected: string | undefined;
  readonly profiles: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The settings that a profile may contain. */
export const profileKeys = Object.keys(settings).filter((name) => name !== 'profile');

/** Reads the configuration file. An unknown key is an error. */
export function readProfiles(file: string): Profiles {
  const { profile, profiles = {}, ...others } = readJsonFile(file);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new UsageError(
      `${file}: there is no key '${unknown}'.`,
      suggestion(unknown, ['profile', 'profiles'], `Use profile or profiles; a profile contains the settings.`),
    );
  if (profile !== undefined && typeof profile !== 'string')
    throw new UsageError(`${file}: profile must be the name of a profile.`);
  if (!isObject(profiles)) throw new UsageError(`${file}: profiles must be an object of profiles by name.`);
  const entries = Object.entries(profiles).map(([name, values]) => [name, readProfile(file, name, values)] as const);
  return { file, selected: profile, profiles: Object.fromEntries(entries) };
}

function readProfile(file: string, profile: string, values: unknown): Record<string, string> {
  if (!isObject(values)) throw new UsageError(`${file}: the profile '${profile}' must be an object.`);
  for (const [key, value] of Object.entries(values)) {
    if (!profileKeys.includes(key))
      throw new UsageError(
        `${file}: the profile '${profile}' has an unknown key '${key}'.`,
        suggestion(key, profileKeys, `Use one of ${profileKeys.join(', ')}.`),
      );
    if (!['string', 'number', 'boolean'].includes(typeof value))
      throw new UsageError(`${file}: ${key} of the profile '${profile}' must be a single value.`);
  }
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)]));
}

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settings, name);
}

/** The file of the profiles. */
export function configFile(env: Environment): string {
  return join(folder(env), 'config.json');
}

/** The file of the stored credentials. */
export function credentialsFile(env: Environment): string {
  return join(folder(env), 'credentials.json');
}

/** petctl's configuration folder. XDG says to ignore a relative one. */
function folder({ XDG_CONFIG_HOME, APPDATA, HOME }: Environment): string {
  if (XDG_CONFIG_HOME && isAbsolute(XDG_CONFIG_HOME)) return join(XDG_CONFIG_HOME, 'petctl');
  if (process.platform === 'win32' && APPDATA) return join(APPDATA, 'petctl');
  return join(HOME || homedir(), '.config', 'petctl');
}

/** A value and its origin: `--timeout`, `PETCTL_TIMEOUT`, the profile, or the default. */
export interface SettingValue<T> {
  readonly value: T;
  readonly origin: string;
}

/** The settings of this run. */
export interface Resolved {
  /** The value of a setting: the first of flag, environment, profile and default. */
  of<T>(setting: Setting<T>): SettingValue<T>;
  /** The URL of the service. The first source with a URL or a deployment decides. */
  readonly baseUrl: SettingValue<string>;
  readonly profile: string;
  /** The URLs of the profile and the environment. */
  readonly addresses: readonly string[];
}

/** Resolves every setting. Throws for the first invalid one. */
export function resolve(flags: ReadonlyMap<string, unknown>, env: Environment): Resolved {
  const { file, selected, profiles } = readProfiles(configFile(env));
  const profile = text(flags.get('profile')) ?? (env[settings.profile.env] || undefined) ?? selected ?? 'default';
  if (profile !== 'default' && !Object.hasOwn(profiles, profile))
    throw new UsageError(
      `There is no profile '${profile}' in ${file}.`,
      suggestion(profile, Object.keys(profiles), `'petctl config set <key> <value> --profile ${profile}' creates it.`),
    );
  const values = profiles[profile] ?? {};

  const ofEnvironment = { origin: envOf, word: (name: SettingName) => env[envOf(name)] || undefined };
  const ofProfile = { origin: () => `profile '${profile}' in ${file}`, word: (name: SettingName) => values[name] };
  // The sources of a setting, strongest first. A profile named by a flag overrides the environment.
  const sources = [
    { origin: (name: SettingName) => `--${name}`, word: (name: SettingName) => text(flags.get(name)) },
    ...(flags.has('profile') ? [ofProfile, ofEnvironment] : [ofEnvironment, ofProfile]),
  ];
  const of = <T>(setting: Setting<T>): SettingValue<T> => {
    const name = setting.flag.name as SettingName;
    for (const { origin, word } of sources) {
      const text = word(name);
      if (text !== undefined) return { value: read(setting, text, origin(name)), origin: origin(name) };
    }
    return { value: setting.fallback, origin: 'default' };
  };
  for (const setting of Object.values(settings)) of<unknown>(setting);

  const resolveBaseUrl = (): SettingValue<string> => {
    for (const { origin, word } of sources) {
      const [url, deployment] = [word('base-url'), word('deployment')];
      if (url !== undefined && deployment !== undefined)
        throw new UsageError(
          `${origin('base-url')} and ${origin('deployment')} both set the service.`,
          'Use one of them.',
        );
      if (url !== undefined)
        return { value: read(settings['base-url'], url, origin('base-url')) ?? '', origin: origin('base-url') };
      if (deployment !== undefined)
        return { value: service.deployments[deployment as Deployment], origin: origin('deployment') };
    }
    return { value: Object.values<string>(service.deployments)[0] ?? '', origin: 'default' };
  };
  const resolved = resolveBaseUrl();
  if (!/^https?:/.test(resolved.value))
    throw new UsageError(`'${resolved.value}' is not an http URL.`, 'Set one with --base-url.');
  const baseUrl = { ...resolved, value: connect({ apiKey: '-', baseUrl: resolved.value }).baseUrl };
  const addresses = [ofProfile, ofEnvironment].flatMap(({ word }) => word('base-url') ?? []);
  return { of, baseUrl, profile, addresses };
}

const envOf = (name: SettingName) => settings[name].env;
const text = (value: unknown) => (value === undefined ? undefined : String(value));

/** Parses the text of a setting. */
export function read<T>(setting: Setting<T>, word: string, origin: string): T {
  const parsed = readValue(word, setting.flag.rules);
  const result = setting.read(word);
  if ('value' in result && !('problem' in parsed)) return result.value;
  const wanted =
    'expected' in result ? `it must be ${result.expected}` : 'problem' in parsed ? `it ${parsed.problem}` : '';
  throw new UsageError(
    `${origin}: '${withoutCredentials(word)}' is not valid: ${wanted}.`,
    suggestion(word, (setting.flag.rules.enum ?? []).map(String), ''),
  );
}

/** Hides the password of a rejected URL from logs. */
const withoutCredentials = (word: string) => word.replace(/^([^/@]*\/\/)?.*@/s, '$1***@');
