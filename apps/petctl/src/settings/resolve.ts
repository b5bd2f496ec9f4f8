import { connect, type Deployment } from '@petstore/client';
import { expected, parseValue } from '../flags/parse-value.ts';
import { suggestion, UsageError } from '../io/errors.ts';
import type { Environment } from '../io/process-io.ts';
import { service } from '../old.ts';
import { type Setting, type SettingName, settings } from './settings.ts';

/** A value and its source: `--timeout`, `PETCTL_TIMEOUT`, or the default. */
export interface SettingValue<T> {
  readonly value: T;
  readonly source: string;
}

/** The settings of this run. */
export interface ResolvedSettings {
  /** The value of a setting: the first of flag, environment and default. */
  get<T>(setting: Setting<T>): SettingValue<T>;
  /** The URL of the service, from the first source with a URL or a deployment. */
  readonly baseUrl: SettingValue<string>;
}

/** A source of settings: for each setting, the name of the source in messages, and the text of the setting. */
interface SettingSource {
  readonly nameFor: (setting: SettingName) => string;
  readonly text: (setting: SettingName) => string | undefined;
}

/** Resolves every setting, or throws for the first invalid one. */
export function resolveSettings(flags: ReadonlyMap<string, unknown>, env: Environment): ResolvedSettings {
  const fromFlags: SettingSource = { nameFor: (name) => `--${name}`, text: (name) => textOf(flags.get(name)) };
  const fromEnvironment: SettingSource = {
    nameFor: (name) => settings[name].variable,
    text: (name) => env[settings[name].variable] || undefined,
  };
  const sources = [fromFlags, fromEnvironment];
  const get = <T>(setting: Setting<T>): SettingValue<T> => {
    const name = setting.flag.name as SettingName;
    for (const from of sources) {
      const [text, source] = [from.text(name), from.nameFor(name)];
      if (text !== undefined) return { value: parseSetting(setting, text, source), source };
    }
    // A setting without a default may be undefined.
    return { value: setting.default as T, source: 'default' };
  };
  for (const setting of Object.values(settings)) get<unknown>(setting);
  return { get, baseUrl: resolveBaseUrl(sources) };
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value);
}

function resolveBaseUrl(sources: readonly SettingSource[]): SettingValue<string> {
  const fallback = { value: Object.values<string>(service.deployments)[0] ?? '', source: 'default' };
  const { value, source } = configuredUrl(sources) ?? fallback;
  if (!/^https?:/.test(value)) throw new UsageError(`'${value}' is not an http URL.`, 'Set one with --base-url.');
  // `connect` normalizes the URL.
  return { value: connect({ baseUrl: value }).baseUrl, source };
}

/** The URL or deployment of the first source that has one. */
function configuredUrl(sources: readonly SettingSource[]): SettingValue<string> | undefined {
  for (const { nameFor, text } of sources) {
    const [url, deployment] = [text('base-url'), text('deployment')];
    if (url !== undefined && deployment !== undefined)
      throw new UsageError(
        `${nameFor('base-url')} and ${nameFor('deployment')} both set the service.`,
        'Use one of them.',
      );
    if (url !== undefined) return { value: url, source: nameFor('base-url') };
    if (deployment !== undefined)
      return { value: service.deployments[deployment as Deployment], source: nameFor('deployment') };
  }
  return undefined;
}

/** Parses the text of a setting, or throws if it is invalid. */
function parseSetting<T>(setting: Setting<T>, text: string, source: string): T {
  const { schema } = setting.flag;
  const parsed = parseValue(text, schema);
  if ('value' in parsed) {
    const value = setting.parse ? setting.parse(text) : (parsed.value as T);
    if (value !== undefined) return value;
  }
  throw new UsageError(
    `${source}: '${withoutCredentials(text)}' is not valid: it must be ${setting.expected ?? expected(schema)}.`,
    suggestion(text, (schema.enum ?? []).map(String), '') || undefined,
  );
}

/** Hides the password of a rejected URL from logs. */
function withoutCredentials(url: string): string {
  return url.replace(/^([^/@]*\/\/)?.*@/s, '$1***@');
}
