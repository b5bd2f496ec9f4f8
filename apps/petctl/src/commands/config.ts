import { suggestion, UsageError } from '../io/errors.ts';
import { isObject, readJsonFile, writeJsonFile } from '../io/files.ts';
import { escapeControls } from '../io/text.ts';
import { print } from '../output/print.ts';
import { chosen } from '../output/shape.ts';
import type { Invocation } from '../parse/node.ts';
import { configFile, isSettingName, profileKeys, readProfiles } from '../settings/profiles.ts';
import { type Resolved, read, type Settled } from '../settings/resolve.ts';
import { type Setting, settings } from '../settings/settings.ts';

/** The settings in effect here. */
export async function list(invocation: Invocation): Promise<void> {
  const { settings: resolved, flags } = invocation;
  const columns = ['key', 'value', ...(flags.has('show-origin') ? ['origin'] : [])];
  const rows = Object.values<Setting<unknown>>(settings).map((setting) => {
    const { value, origin } = shownValue(setting, resolved);
    return { key: setting.flag.name, value, ...(columns.length > 2 && { origin }) };
  });
  await print(rows, { list: true, columns: chosen(flags.get('fields'), columns) }, invocation);
}

/** One setting as it holds here. */
export async function get({ args, settings: resolved, io }: Invocation): Promise<void> {
  const name = String(args[0]);
  if (!isSettingName(name)) throw unknownSetting(name, Object.keys(settings));
  const { value } = shownValue(settings[name], resolved);
  await io.stdout.write(`${escapeControls(String(value))}\n`);
}

/** Chooses the profile of all later runs. */
export async function use({ io, args }: Invocation): Promise<void> {
  useProfile(configFile(io.env), String(args[0]));
}

function shownValue(setting: Setting<unknown>, resolved: Resolved): Settled<unknown> {
  const key = setting.flag.name;
  if (key === 'base-url') return resolved.baseUrl;
  const { value, origin } = resolved.of(setting);
  if (key === 'profile') return { value: resolved.profile, origin };
  if (origin === 'default') return { value: setting.shown, origin };
  return { value: key === 'timeout' ? `${Number(value) / 1000}s` : value, origin };
}

/** Changes a setting of the profile; a profile that is not there yet is made. */
export async function set(invocation: Invocation): Promise<void> {
  const [key, value] = invocation.args.map(String);
  await change(invocation, key ?? '', value);
}

/** Takes a setting out of the profile. */
export async function unset(invocation: Invocation): Promise<void> {
  await change(invocation, String(invocation.args[0]), undefined);
}

async function change({ io, flags }: Invocation, key: string, value: string | undefined): Promise<void> {
  const file = configFile(io.env);
  const { chosen: standard, profiles } = readProfiles(file);
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
      suggestion(name, Object.keys(profiles), 'Set something in it first.'),
    );
  writeJsonFile(file, { ...readJsonFile(file), profile: name });
}

function unknownSetting(key: string, keys: readonly string[]): UsageError {
  return new UsageError(`There is no setting '${key}'.`, suggestion(key, keys, `There are ${keys.join(', ')}.`));
}
