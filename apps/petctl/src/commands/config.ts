import { suggestion, UsageError } from '../io/errors.ts';
import { isObject, readJsonFile, writeJsonFile } from '../io/files.ts';
import { escapeControls } from '../io/text.ts';
import { selectedFields } from '../output/format.ts';
import { print } from '../output/print.ts';
import type { Invocation } from '../parse/command.ts';
import {
  configFile,
  isSettingName,
  profileKeys,
  type Resolved,
  read,
  readProfiles,
  type SettingValue,
} from '../settings/profiles.ts';
import { type Setting, settings } from '../settings/settings.ts';

/** Lists the settings in effect. */
export async function list(invocation: Invocation): Promise<void> {
  const { settings: resolved, flags } = invocation;
  const columns = ['key', 'value', ...(flags.has('show-origin') ? ['origin'] : [])];
  const rows = Object.values<Setting<unknown>>(settings).map((setting) => {
    const { value, origin } = shownValue(setting, resolved);
    return { key: setting.flag.name, value, ...(columns.length > 2 && { origin }) };
  });
  await print(rows, { list: true, columns: selectedFields(flags.get('fields'), columns) }, invocation);
}

/** Prints one setting in effect. */
export async function get({ args, settings: resolved, io }: Invocation): Promise<void> {
  const name = String(args[0]);
  if (!isSettingName(name)) throw unknownSetting(name, Object.keys(settings));
  const { value } = shownValue(settings[name], resolved);
  await io.stdout.write(`${escapeControls(String(value))}\n`);
}

/** Selects the profile of all later runs. */
export async function use({ io, args }: Invocation): Promise<void> {
  useProfile(configFile(io.env), String(args[0]));
}

function shownValue(setting: Setting<unknown>, resolved: Resolved): SettingValue<unknown> {
  const key = setting.flag.name;
  if (key === 'base-url') return resolved.baseUrl;
  const { value, origin } = resolved.of(setting);
  if (key === 'profile') return { value: resolved.profile, origin };
  if (origin === 'default') return { value: setting.defaultText, origin };
  return { value: key === 'timeout' ? `${Number(value) / 1000}s` : value, origin };
}

/** Changes a setting of the profile, and creates a missing profile. */
export async function set(invocation: Invocation): Promise<void> {
  const [key, value] = invocation.args.map(String);
  await change(invocation, key ?? '', value);
}

/** Removes a setting from the profile. */
export async function unset(invocation: Invocation): Promise<void> {
  await change(invocation, String(invocation.args[0]), undefined);
}

async function change({ io, flags }: Invocation, key: string, value: string | undefined): Promise<void> {
  const file = configFile(io.env);
  const { selected: standard, profiles } = readProfiles(file);
  if (key === 'profile') return useProfile(file, value);
  if (!profileKeys.includes(key) || !isSettingName(key)) throw unknownSetting(key, profileKeys);
  if (value !== undefined) read<unknown>(settings[key], value, key);
  const profile = String(flags.get('profile') ?? (io.env[settings.profile.env] || (standard ?? 'default')));
  const { [key]: _, ...others } = profiles[profile] ?? {};
  const { profiles: before } = readJsonFile(file);
  const after = { ...others, ...(value !== undefined && { [key]: value }) };
  writeJsonFile(file, { ...readJsonFile(file), profiles: { ...(isObject(before) ? before : {}), [profile]: after } });
}

function useProfile(file: string, name: string | undefined): void {
  const { profiles } = readProfiles(file);
  if (name !== undefined && name !== 'default' && !Object.hasOwn(profiles, name))
    throw new UsageError(
      `There is no profile '${name}'.`,
      suggestion(name, Object.keys(profiles), `'petctl config set <key> <value> --profile ${name}' creates it.`),
    );
  writeJsonFile(file, { ...readJsonFile(file), profile: name });
}

function unknownSetting(key: string, keys: readonly string[]): UsageError {
  return new UsageError(`There is no setting '${key}'.`, suggestion(key, keys, `Use one of ${keys.join(', ')}.`));
}
