// The browser features that the site's Permissions Policy denies: gateway/crates/web/src/security_headers.rs.
import type { BrowserFeature } from "../build/policy.js";
import { keyOf, nameOf, nodeAt, nodesAt, type Constants, type SyntaxNode } from "./syntax.js";

/** A call that the browser rejects. */
export interface DeniedFeature {
  readonly feature: BrowserFeature;
  /** Present if it may be another function of this name, or only some arguments need the feature, and these are unknown. */
  readonly severity?: "warning";
}

/** The classes and functions that need a feature, by their name, of functions by its end. */
const CALLS: readonly (readonly [BrowserFeature, RegExp])[] = [
  ["accelerometer", /^(Accelerometer|GravitySensor|LinearAccelerationSensor|(Absolute|Relative)OrientationSensor)$/],
  ["display-capture", /(^|\.)getDisplayMedia$/],
  ["encrypted-media", /(^|\.)requestMediaKeySystemAccess$/],
  ["fullscreen", /\.(r|webkitR)equestFull[sS]creen$/],
  ["geolocation", /(^|\.)geolocation\.(getCurrentPosition|watchPosition)$/],
  ["gyroscope", /^(Gyroscope|(Absolute|Relative)OrientationSensor)$/],
  ["hid", /(^|\.)navigator\.hid\.(getDevices|requestDevice)$/],
  ["idle-detection", /^IdleDetector(\.requestPermission)?$/],
  ["magnetometer", /^(Magnetometer|AbsoluteOrientationSensor)$/],
  ["midi", /(^|\.)requestMIDIAccess$/],
  ["payment", /^PaymentRequest$/],
  ["picture-in-picture", /\.requestPictureInPicture$/],
  ["screen-wake-lock", /(^|\.)wakeLock\.request$/],
  ["serial", /(^|\.)navigator\.serial\.(getPorts|requestPort)$/],
  ["usb", /(^|\.)navigator\.usb\.(getDevices|requestDevice)$/],
  ["xr-spatial-tracking", /(^|\.)xr\.(isSessionSupported|requestSession)$/],
];

/** Of these options, a value can be false. */
const FLAG = /^(audio|video)$/;
/** The features of the properties of a call's options. */
const OPTIONS: readonly (readonly [call: RegExp, Readonly<Record<string, BrowserFeature>>])[] = [
  [/(^|\.)getUserMedia$/, { video: "camera", audio: "microphone" }],
  [/(^|\.)navigator\.credentials\.get$/, { publicKey: "publickey-credentials-get" }],
];

/** Returns the features that a call of a function or a class of this name needs. `declared` has the names that the module declares. */
export function deniedFeatures(
  name: string,
  call: SyntaxNode,
  declared: ReadonlySet<string>,
  constants?: Constants,
): DeniedFeature[] {
  const names = namesOf(name.replace(/^(globalThis|self|window)\./, ""), constants);
  const isCalled = (pattern: RegExp): boolean => names.some((each) => pattern.test(each));
  // A variable of the module has the name of a member of navigator.
  const isOther = (pattern: RegExp): boolean =>
    names.every((each) => declared.has(rootOf(each)) && (pattern.exec(each)?.index ?? 0) === 0);
  const isUncertain = isMethodOfThis(call) || testsFunction(call, names);
  const byName = CALLS.filter(([, pattern]) => isCalled(pattern)).map(([feature, pattern]) => ({
    feature,
    ...((isUncertain || isOther(pattern)) && ({ severity: "warning" } as const)),
  }));
  const [argument] = nodesAt(call, "arguments");
  const options = constants?.get(nameOf(argument)) ?? argument;
  const byOptions = OPTIONS.filter(([pattern]) => isCalled(pattern)).flatMap(([, features]) =>
    Object.entries(features).flatMap(([key, feature]) => withOption(options, key, feature)),
  );
  return [...byName, ...byOptions.map((found) => (isUncertain ? { ...found, severity: "warning" as const } : found))];
}

/** The names of a function whose object is a constant, such as of `usb.getDevices` after `const { usb } = navigator`. */
function namesOf(name: string, constants?: Constants): string[] {
  const [object = "", ...members] = name.split(".");
  const value = nameOf(constants?.get(object));
  return value === "" ? [name] : [name, `${value}.${name}`, [value, ...members].join(".")];
}

const rootOf = (name: string): string => name.split(".")[0] ?? "";

/** Whether a call is one of a method of the same class. */
function isMethodOfThis(call: SyntaxNode): boolean {
  return nodeAt(nodeAt(call, "callee"), "object")?.type === "ThisExpression";
}

/** Whether a call tests that the browser has the function, such as `navigator.wakeLock?.request()`. */
function testsFunction(call: SyntaxNode, names: readonly string[]): boolean {
  const isOfNavigator = names.some((name) => /(^|\.)navigator\./.test(name));
  return call.optional === true || (isOfNavigator && nodeAt(call, "callee")?.optional === true);
}

/** Returns the feature if the options of a call have this property, as far as the module says. */
function withOption(options: SyntaxNode | undefined, key: string, feature: BrowserFeature): DeniedFeature[] {
  const properties = nodesAt(options, "properties");
  const isKnown = options?.type === "ObjectExpression" && properties.every((property) => keyOf(property) !== "");
  if (!isKnown) return [{ feature, severity: "warning" }];
  const value = nodeAt(
    properties.find((property) => keyOf(property) === key),
    "value",
  );
  const known = FLAG.test(key) && value ? flagOf(value) : value !== undefined;
  if (known === undefined) return [{ feature, severity: "warning" }];
  return known ? [{ feature }] : [];
}

/** Whether a flag of options is set. Undefined if it is unknown. */
function flagOf(value: SyntaxNode): boolean | undefined {
  if (value.type === "ObjectExpression") return true;
  return value.type === "Literal" ? Boolean(value.value) : nameOf(value) === "undefined" ? false : undefined;
}
