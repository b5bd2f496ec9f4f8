import { suggestion, UsageError } from '../io/errors.ts';
import { isObject, readJsonFile, writeJsonFile } from '../io/files.ts';
import { print } from '../output/print.ts';
import { chosen } from '../output/shape.ts';
import type { Invocation } from '../parse/node.ts';
import { configFile, isSettingName, profileKeys, readProfiles } from '../settings/profiles.ts';
import { read } from '../settings/resolve.ts';
import { type Setting, settings } from '../settings/settings.ts';

/** The settings as they hold here. */
export async function list(invocation: Invocation): Promise<void> {
  const { settings: resolved, flags } = invocation;
  const columns = ['key', 'value', ...(flags.has('show-origin') ? ['origin'] : [])];
  const rows = Object.values<Setting<unknown>>(settings).map((setting) => {
    const key = setting.flag.name;
    if (key === 'base-url') return { key, ...resolved.baseUrl };
    const { value, origin } =
      key === 'profile' ? { ...resolved.of(setting), value: resolved.profile } : resolved.of(setting);
    const shown = key === 'timeout' ? `${Number(value) / 1000}s` : value;
    return { key, value: origin === 'default' ? setting.shown : shown, origin };
  });
  const shown = rows.map((row) => ({
    key: row.key,
    value: row.value,
    ...(columns.length > 2 && { origin: row.origin }),
  }));
  await print(shown, { list: true, columns: chosen(flags.get('fields'), columns) }, invocation);
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
  if (key === 'profile') {
    if (value !== undefined && value !== 'default' && !Object.hasOwn(profiles, value))
      throw new UsageError(
        `There is no profile '${value}'.`,
        suggestion(value, Object.keys(profiles), 'Set something in it first.'),
      );
    return writeJsonFile(file, { ...readJsonFile(file), profile: value });
  }
  if (!profileKeys.includes(key) || !isSettingName(key))
    throw new UsageError(
      `There is no setting '${key}'.`,
      suggestion(key, profileKeys, `There are ${profileKeys.join(', ')}.`),
    );
  if (value !== undefined) read<unknown>(settings[key], value, key);
  const profile = String(flags.get('profile') ?? (io.env[settings.profile.env] || (standard ?? 'default')));
  const { [key]: _, ...others } = profiles[profile] ?? {};
  const { profiles: before } = readJsonFile(file);
  const after = { ...others, ...(value !== undefined && { [key]: value }) };
  writeJsonFile(file, { ...readJsonFile(file), profiles: { ...(isObject(before) ? before : {}), [profile]: after } });
}
