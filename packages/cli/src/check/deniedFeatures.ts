// The browser features that the site's Permissions Policy denies: gateway/crates/web/src/security_headers.rs.
import type { BrowserFeature } from "../build/policy.js";
import { keyOf, nameOf, nodeAt, nodesAt, type Constants, type SyntaxNode } from "./syntax.js";

/** A call that the browser rejects. */
export interface DeniedFeature {
  readonly feature: BrowserFeature;
  /** Present if only some arguments of the call need the feature, and these are unknown. */
  readonly severity?: "warning";
}

/** The functions and classes that need a feature, by the end of their name. */
const CALLS: readonly (readonly [BrowserFeature, RegExp])[] = [
  [
    "accelerometer",
    /(^|\.)(Accelerometer|GravitySensor|LinearAccelerationSensor|(Absolute|Relative)OrientationSensor)$/,
  ],
  ["display-capture", /(^|\.)getDisplayMedia$/],
  ["encrypted-media", /(^|\.)requestMediaKeySystemAccess$/],
  ["fullscreen", /\.(r|webkitR)equestFull[sS]creen$/],
  ["geolocation", /(^|\.)geolocation\.(getCurrentPosition|watchPosition)$/],
  ["gyroscope", /(^|\.)(Gyroscope|(Absolute|Relative)OrientationSensor)$/],
  ["hid", /(^|\.)navigator\.hid\.(getDevices|requestDevice)$/],
  ["idle-detection", /(^|\.)IdleDetector(\.requestPermission)?$/],
  ["magnetometer", /(^|\.)(Magnetometer|AbsoluteOrientationSensor)$/],
  ["midi", /(^|\.)requestMIDIAccess$/],
  ["payment", /(^|\.)PaymentRequest$/],
  ["picture-in-picture", /\.requestPictureInPicture$/],
  ["screen-wake-lock", /(^|\.)wakeLock\.request$/],
  ["serial", /(^|\.)navigator\.serial\.(getPorts|requestPort)$/],
  ["usb", /(^|\.)navigator\.usb\.(getDevices|requestDevice)$/],
  ["xr-spatial-tracking", /(^|\.)xr\.(isSessionSupported|requestSession)$/],
];

/** The features of the properties of a call's options. */
const OPTIONS: readonly (readonly [call: RegExp, Readonly<Record<string, BrowserFeature>>])[] = [
  [/(^|\.)getUserMedia$/, { video: "camera", audio: "microphone" }],
  [/(^|\.)navigator\.credentials\.get$/, { publicKey: "publickey-credentials-get" }],
];

/** Returns the features that a call of a function or a class of this name needs. */
export function deniedFeatures(name: string, call: SyntaxNode, constants?: Constants): DeniedFeature[] {
  const names = namesOf(name, constants);
  const isCalled = (pattern: RegExp): boolean => names.some((each) => pattern.test(each));
  const certain = CALLS.filter(([, pattern]) => isCalled(pattern)).map(([feature]) => ({ feature }));
  const [argument] = nodesAt(call, "arguments");
  const options = constants?.get(nameOf(argument)) ?? argument;
  const byOptions = OPTIONS.filter(([pattern]) => isCalled(pattern)).flatMap(([, features]) =>
    Object.entries(features).flatMap(([key, feature]) => withOption(options, key, feature)),
  );
  return [...certain, ...byOptions];
}

/** The names of a function whose object is a constant, such as of `usb.getDevices` after `const { usb } = navigator`. */
function namesOf(name: string, constants?: Constants): string[] {
  const [object = "", ...members] = name.split(".");
  const value = nameOf(constants?.get(object));
  return value === "" ? [name] : [name, `${value}.${name}`, [value, ...members].join(".")];
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
  return value && value.value !== false ? [{ feature }] : [];
}
