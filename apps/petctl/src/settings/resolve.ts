import { connect, type Deployment } from '@petstore/client';
import { service } from '@petstore/types';
import { suggestion, UsageError } from '../io/errors.ts';
import { configFile, readProfiles } from './profiles.ts';
import { type Setting, type SettingName, settings } from './settings.ts';
import { readValue } from './value.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A value, and who said so: `--timeout`, `PETCTL_TIMEOUT`, the profile, or nobody. */
export interface Settled<T> {
  readonly value: T;
  readonly origin: string;
}

/** The settings of this run. */
export interface Resolved {
  /** The value of a setting: flag, environment, profile, default, the first that is there. */
  of<T>(setting: Setting<T>): Settled<T>;
  /** Where the service is: the first place that names an address or a deployment decides. */
  readonly baseUrl: Settled<string>;
  readonly profile: string;
  /** The addresses that the profile and the environment name. */
  readonly addresses: readonly string[];
}

/** Settles every setting; complains of the first that makes no sense, wherever it stands. */
export function resolve(flags: ReadonlyMap<string, unknown>, env: Environment): Resolved {
  const { file, chosen, profiles } = readProfiles(configFile(env));
  const profile = text(flags.get('profile')) ?? (env[settings.profile.env] || undefined) ?? chosen ?? 'default';
  if (profile !== 'default' && !Object.hasOwn(profiles, profile))
    throw new UsageError(
      `There is no profile '${profile}' in ${file}.`,
      suggestion(profile, Object.keys(profiles), `'petctl config set <key> <value> --profile ${profile}' makes it.`),
    );
  const values = profiles[profile] ?? {};

  const ofEnvironment = { origin: envOf, given: (name: SettingName) => env[envOf(name)] || undefined };
  const ofProfile = { origin: () => `profile '${profile}' in ${file}`, given: (name: SettingName) => values[name] };
  // The places in which a setting may stand, from the strongest on. A profile that a flag names is as good as its flags.
  const places = [
    { origin: (name: SettingName) => `--${name}`, given: (name: SettingName) => text(flags.get(name)) },
    ...(flags.has('profile') ? [ofProfile, ofEnvironment] : [ofEnvironment, ofProfile]),
  ];
  const of = <T>(setting: Setting<T>): Settled<T> => {
    const name = setting.flag.name as SettingName;
    for (const { origin, given } of places) {
      const word = given(name);
      if (word !== undefined) return { value: read(setting, word, origin(name)), origin: origin(name) };
    }
    return { value: setting.fallback, origin: 'default' };
  };
  for (const setting of Object.values(settings)) of<unknown>(setting);

  const where = (): Settled<string> => {
    for (const { origin, given } of places) {
      const [url, deployment] = [given('base-url'), given('deployment')];
      if (url !== undefined && deployment !== undefined)
        throw new UsageError(
          `${origin('base-url')} and ${origin('deployment')} both say where to go.`,
          'Give one of them.',
        );
      if (url !== undefined)
        return { value: read(settings['base-url'], url, origin('base-url')) ?? '', origin: origin('base-url') };
      if (deployment !== undefined)
        return { value: service.deployments[deployment as Deployment], origin: origin('deployment') };
    }
    return { value: Object.values<string>(service.deployments)[0] ?? '', origin: 'default' };
  };
  const settled = where();
  if (!/^https?:/.test(settled.value))
    throw new UsageError(`'${settled.value}' is not an http address.`, 'Give one with --base-url.');
  const baseUrl = { ...settled, value: connect({ apiKey: '-', baseUrl: settled.value }).baseUrl };
  const addresses = [ofProfile, ofEnvironment].flatMap(({ given }) => given('base-url') ?? []);
  return { of, baseUrl, profile, addresses };
}

const envOf = (name: SettingName) => settings[name].env;
const text = (value: unknown) => (value === undefined ? undefined : String(value));

/** Reads what somebody wrote for a setting, wherever that stands. */
export function read<T>(setting: Setting<T>, word: string, origin: string): T {
  const fault = readValue(word, setting.flag.rules);
  const result = setting.read(word);
  if ('value' in result && !('fault' in fault)) return result.value;
  const wanted = 'expected' in result ? `it must be ${result.expected}` : 'fault' in fault ? `it ${fault.fault}` : '';
  throw new UsageError(
    `${origin}: '${withoutCredentials(word)}' is not valid: ${wanted}.`,
    suggestion(word, (setting.flag.rules.enum ?? []).map(String), ''),
  );
}

/** An address is refused for its password, too, which must not reach a log. */
const withoutCredentials = (word: string) => word.replace(/^([^/@]*\/\/)?.*@/s, '$1***@');
