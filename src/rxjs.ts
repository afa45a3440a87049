/**
 * Everything of rxjs, for strategies that import it from `tidegate`; new ones import it from `rxjs`. Long because the list is. By name, so
 * that completion shows each as deprecated, and because `export *` of a CommonJS package also passes on its export
 * `'module.exports'`, and then `require` of `tidegate` gives rxjs alone from Node 23 on.
 */

export type {
  /** @deprecated Import it from `rxjs`. */
  BasicGroupByOptions,
  /** @deprecated Import it from `rxjs`. */
  CompleteNotification,
  /** @deprecated Import it from `rxjs`. */
  CompletionObserver,
  /** @deprecated Import it from `rxjs`. */
  Connectable,
  /** @deprecated Import it from `rxjs`. */
  ConnectConfig,
  /** @deprecated Import it from `rxjs`. */
  Cons,
  /** @deprecated Import it from `rxjs`. */
  ErrorNotification,
  /** @deprecated Import it from `rxjs`. */
  ErrorObserver,
  /** @deprecated Import it from `rxjs`. */
  FactoryOrValue,
  /** @deprecated Import it from `rxjs`. */
  Falsy,
  /** @deprecated Import it from `rxjs`. */
  GlobalConfig,
  /** @deprecated Import it from `rxjs`. */
  GroupByOptionsWithElement,
  /** @deprecated Import it from `rxjs`. */
  GroupedObservable,
  /** @deprecated Import it from `rxjs`. */
  Head,
  /** @deprecated Import it from `rxjs`. */
  InteropObservable,
  /** @deprecated Import it from `rxjs`. */
  MonoTypeOperatorFunction,
  /** @deprecated Import it from `rxjs`. */
  NextNotification,
  /** @deprecated Import it from `rxjs`. */
  NextObserver,
  /** @deprecated Import it from `rxjs`. */
  ObservableInput,
  /** @deprecated Import it from `rxjs`. */
  ObservableInputTuple,
  /** @deprecated Import it from `rxjs`. */
  ObservableLike,
  /** @deprecated Import it from `rxjs`. */
  ObservableNotification,
  /** @deprecated Import it from `rxjs`. */
  ObservedValueOf,
  /** @deprecated Import it from `rxjs`. */
  ObservedValuesFromArray,
  /** @deprecated Import it from `rxjs`. */
  ObservedValueTupleFromArray,
  /** @deprecated Import it from `rxjs`. */
  ObservedValueUnionFromArray,
  /** @deprecated Import it from `rxjs`. */
  Observer,
  /** @deprecated Import it from `rxjs`. */
  Operator,
  /** @deprecated Import it from `rxjs`. */
  OperatorFunction,
  /** @deprecated Import it from `rxjs`. */
  PartialObserver,
  /** @deprecated Import it from `rxjs`. */
  ReadableStreamLike,
  /** @deprecated Import it from `rxjs`. */
  RepeatConfig,
  /** @deprecated Import it from `rxjs`. */
  RetryConfig,
  /** @deprecated Import it from `rxjs`. */
  SchedulerAction,
  /** @deprecated Import it from `rxjs`. */
  SchedulerLike,
  /** @deprecated Import it from `rxjs`. */
  ShareConfig,
  /** @deprecated Import it from `rxjs`. */
  ShareReplayConfig,
  /** @deprecated Import it from `rxjs`. */
  SubjectLike,
  /** @deprecated Import it from `rxjs`. */
  Subscribable,
  /** @deprecated Import it from `rxjs`. */
  SubscribableOrPromise,
  /** @deprecated Import it from `rxjs`. */
  SubscriptionLike,
  /** @deprecated Import it from `rxjs`. */
  Tail,
  /** @deprecated Import it from `rxjs`. */
  TapObserver,
  /** @deprecated Import it from `rxjs`. */
  TeardownLogic,
  /** @deprecated Import it from `rxjs`. */
  ThrottleConfig,
  /** @deprecated Import it from `rxjs`. */
  TimeInterval,
  /** @deprecated Import it from `rxjs`. */
  TimeoutConfig,
  /** @deprecated Import it from `rxjs`. */
  TimeoutInfo,
  /** @deprecated Import it from `rxjs`. */
  Timestamp,
  /** @deprecated Import it from `rxjs`. */
  TimestampProvider,
  /** @deprecated Import it from `rxjs`. */
  TruthyTypesOf,
  /** @deprecated Import it from `rxjs`. */
  UnaryFunction,
  /** @deprecated Import it from `rxjs`. */
  Unsubscribable,
  /** @deprecated Import it from `rxjs`. */
  ValueFromArray,
  /** @deprecated Import it from `rxjs`. */
  ValueFromNotification,
} from 'rxjs';
export {
  /** @deprecated Import it from `rxjs`. */
  ArgumentOutOfRangeError,
  /** @deprecated Import it from `rxjs`. */
  AsyncSubject,
  /** @deprecated Import it from `rxjs`. */
  animationFrame,
  /** @deprecated Import it from `rxjs`. */
  animationFrameScheduler,
  /** @deprecated Import it from `rxjs`. */
  animationFrames,
  /** @deprecated Import it from `rxjs`. */
  asap,
  /** @deprecated Import it from `rxjs`. */
  asapScheduler,
  /** @deprecated Import it from `rxjs`. */
  async,
  /** @deprecated Import it from `rxjs`. */
  asyncScheduler,
  /** @deprecated Import it from `rxjs`. */
  audit,
  /** @deprecated Import it from `rxjs`. */
  auditTime,
  /** @deprecated Import it from `rxjs`. */
  BehaviorSubject,
  /** @deprecated Import it from `rxjs`. */
  bindCallback,
  /** @deprecated Import it from `rxjs`. */
  bindNodeCallback,
  /** @deprecated Import it from `rxjs`. */
  buffer,
  /** @deprecated Import it from `rxjs`. */
  bufferCount,
  /** @deprecated Import it from `rxjs`. */
  bufferTime,
  /** @deprecated Import it from `rxjs`. */
  bufferToggle,
  /** @deprecated Import it from `rxjs`. */
  bufferWhen,
  /** @deprecated Import it from `rxjs`. */
  ConnectableObservable,
  /** @deprecated Import it from `rxjs`. */
  catchError,
  /** @deprecated Import it from `rxjs`. */
  combineAll,
  /** @deprecated Import it from `rxjs`. */
  combineLatest,
  /** @deprecated Import it from `rxjs`. */
  combineLatestAll,
  /** @deprecated Import it from `rxjs`. */
  combineLatestWith,
  /** @deprecated Import it from `rxjs`. */
  concat,
  /** @deprecated Import it from `rxjs`. */
  concatAll,
  /** @deprecated Import it from `rxjs`. */
  concatMap,
  /** @deprecated Import it from `rxjs`. */
  concatMapTo,
  /** @deprecated Import it from `rxjs`. */
  concatWith,
  /** @deprecated Import it from `rxjs`. */
  config,
  /** @deprecated Import it from `rxjs`. */
  connect,
  /** @deprecated Import it from `rxjs`. */
  connectable,
  /** @deprecated Import it from `rxjs`. */
  count,
  /** @deprecated Import it from `rxjs`. */
  debounce,
  /** @deprecated Import it from `rxjs`. */
  debounceTime,
  /** @deprecated Import it from `rxjs`. */
  defaultIfEmpty,
  /** @deprecated Import it from `rxjs`. */
  defer,
  /** @deprecated Import it from `rxjs`. */
  delay,
  /** @deprecated Import it from `rxjs`. */
  delayWhen,
  /** @deprecated Import it from `rxjs`. */
  dematerialize,
  /** @deprecated Import it from `rxjs`. */
  distinct,
  /** @deprecated Import it from `rxjs`. */
  distinctUntilChanged,
  /** @deprecated Import it from `rxjs`. */
  distinctUntilKeyChanged,
  /** @deprecated Import it from `rxjs`. */
  EMPTY,
  /** @deprecated Import it from `rxjs`. */
  EmptyError,
  /** @deprecated Import it from `rxjs`. */
  elementAt,
  /** @deprecated Import it from `rxjs`. */
  empty,
  /** @deprecated Import it from `rxjs`. */
  endWith,
  /** @deprecated Import it from `rxjs`. */
  every,
  /** @deprecated Import it from `rxjs`. */
  exhaust,
  /** @deprecated Import it from `rxjs`. */
  exhaustAll,
  /** @deprecated Import it from `rxjs`. */
  exhaustMap,
  /** @deprecated Import it from `rxjs`. */
  expand,
  /** @deprecated Import it from `rxjs`. */
  filter,
  /** @deprecated Import it from `rxjs`. */
  finalize,
  /** @deprecated Import it from `rxjs`. */
  find,
  /** @deprecated Import it from `rxjs`. */
  findIndex,
  /** @deprecated Import it from `rxjs`. */
  first,
  /** @deprecated Import it from `rxjs`. */
  firstValueFrom,
  /** @deprecated Import it from `rxjs`. */
  flatMap,
  /** @deprecated Import it from `rxjs`. */
  forkJoin,
  /** @deprecated Import it from `rxjs`. */
  from,
  /** @deprecated Import it from `rxjs`. */
  fromEvent,
  /** @deprecated Import it from `rxjs`. */
  fromEventPattern,
  /** @deprecated Import it from `rxjs`. */
  generate,
  /** @deprecated Import it from `rxjs`. */
  groupBy,
  /** @deprecated Import it from `rxjs`. */
  identity,
  /** @deprecated Import it from `rxjs`. */
  ignoreElements,
  /** @deprecated Import it from `rxjs`. */
  iif,
  /** @deprecated Import it from `rxjs`. */
  interval,
  /** @deprecated Import it from `rxjs`. */
  isEmpty,
  /** @deprecated Import it from `rxjs`. */
  isObservable,
  /** @deprecated Import it from `rxjs`. */
  last,
  /** @deprecated Import it from `rxjs`. */
  lastValueFrom,
  /** @deprecated Import it from `rxjs`. */
  map,
  /** @deprecated Import it from `rxjs`. */
  mapTo,
  /** @deprecated Import it from `rxjs`. */
  materialize,
  /** @deprecated Import it from `rxjs`. */
  max,
  /** @deprecated Import it from `rxjs`. */
  merge,
  /** @deprecated Import it from `rxjs`. */
  mergeAll,
  /** @deprecated Import it from `rxjs`. */
  mergeMap,
  /** @deprecated Import it from `rxjs`. */
  mergeMapTo,
  /** @deprecated Import it from `rxjs`. */
  mergeScan,
  /** @deprecated Import it from `rxjs`. */
  mergeWith,
  /** @deprecated Import it from `rxjs`. */
  min,
  /** @deprecated Import it from `rxjs`. */
  multicast,
  /** @deprecated Import it from `rxjs`. */
  NEVER,
  /** @deprecated Import it from `rxjs`. */
  NotFoundError,
  /** @deprecated Import it from `rxjs`. */
  Notification,
  /** @deprecated Import it from `rxjs`. */
  NotificationKind,
  /** @deprecated Import it from `rxjs`. */
  never,
  /** @deprecated Import it from `rxjs`. */
  noop,
  /** @deprecated Import it from `rxjs`. */
  ObjectUnsubscribedError,
  /** @deprecated Import it from `rxjs`. */
  Observable,
  /** @deprecated Import it from `rxjs`. */
  observable,
  /** @deprecated Import it from `rxjs`. */
  observeOn,
  /** @deprecated Import it from `rxjs`. */
  of,
  /** @deprecated Import it from `rxjs`. */
  onErrorResumeNext,
  /** @deprecated Import it from `rxjs`. */
  onErrorResumeNextWith,
  /** @deprecated Import it from `rxjs`. */
  pairs,
  /** @deprecated Import it from `rxjs`. */
  pairwise,
  /** @deprecated Import it from `rxjs`. */
  partition,
  /** @deprecated Import it from `rxjs`. */
  pipe,
  /** @deprecated Import it from `rxjs`. */
  pluck,
  /** @deprecated Import it from `rxjs`. */
  publish,
  /** @deprecated Import it from `rxjs`. */
  publishBehavior,
  /** @deprecated Import it from `rxjs`. */
  publishLast,
  /** @deprecated Import it from `rxjs`. */
  publishReplay,
  /** @deprecated Import it from `rxjs`. */
  queue,
  /** @deprecated Import it from `rxjs`. */
  queueScheduler,
  /** @deprecated Import it from `rxjs`. */
  ReplaySubject,
  /** @deprecated Import it from `rxjs`. */
  race,
  /** @deprecated Import it from `rxjs`. */
  raceWith,
  /** @deprecated Import it from `rxjs`. */
  range,
  /** @deprecated Import it from `rxjs`. */
  reduce,
  /** @deprecated Import it from `rxjs`. */
  refCount,
  /** @deprecated Import it from `rxjs`. */
  repeat,
  /** @deprecated Import it from `rxjs`. */
  repeatWhen,
  /** @deprecated Import it from `rxjs`. */
  retry,
  /** @deprecated Import it from `rxjs`. */
  retryWhen,
  /** @deprecated Import it from `rxjs`. */
  Scheduler,
  /** @deprecated Import it from `rxjs`. */
  SequenceError,
  /** @deprecated Import it from `rxjs`. */
  Subject,
  /** @deprecated Import it from `rxjs`. */
  Subscriber,
  /** @deprecated Import it from `rxjs`. */
  Subscription,
  /** @deprecated Import it from `rxjs`. */
  sample,
  /** @deprecated Import it from `rxjs`. */
  sampleTime,
  /** @deprecated Import it from `rxjs`. */
  scan,
  /** @deprecated Import it from `rxjs`. */
  scheduled,
  /** @deprecated Import it from `rxjs`. */
  sequenceEqual,
  /** @deprecated Import it from `rxjs`. */
  share,
  /** @deprecated Import it from `rxjs`. */
  shareReplay,
  /** @deprecated Import it from `rxjs`. */
  single,
  /** @deprecated Import it from `rxjs`. */
  skip,
  /** @deprecated Import it from `rxjs`. */
  skipLast,
  /** @deprecated Import it from `rxjs`. */
  skipUntil,
  /** @deprecated Import it from `rxjs`. */
  skipWhile,
  /** @deprecated Import it from `rxjs`. */
  startWith,
  /** @deprecated Import it from `rxjs`. */
  subscribeOn,
  /** @deprecated Import it from `rxjs`. */
  switchAll,
  /** @deprecated Import it from `rxjs`. */
  switchMap,
  /** @deprecated Import it from `rxjs`. */
  switchMapTo,
  /** @deprecated Import it from `rxjs`. */
  switchScan,
  /** @deprecated Import it from `rxjs`. */
  TimeoutError,
  /** @deprecated Import it from `rxjs`. */
  take,
  /** @deprecated Import it from `rxjs`. */
  takeLast,
  /** @deprecated Import it from `rxjs`. */
  takeUntil,
  /** @deprecated Import it from `rxjs`. */
  takeWhile,
  /** @deprecated Import it from `rxjs`. */
  tap,
  /** @deprecated Import it from `rxjs`. */
  throttle,
  /** @deprecated Import it from `rxjs`. */
  throttleTime,
  /** @deprecated Import it from `rxjs`. */
  throwError,
  /** @deprecated Import it from `rxjs`. */
  throwIfEmpty,
  /** @deprecated Import it from `rxjs`. */
  timeInterval,
  /** @deprecated Import it from `rxjs`. */
  timeout,
  /** @deprecated Import it from `rxjs`. */
  timeoutWith,
  /** @deprecated Import it from `rxjs`. */
  timer,
  /** @deprecated Import it from `rxjs`. */
  timestamp,
  /** @deprecated Import it from `rxjs`. */
  toArray,
  /** @deprecated Import it from `rxjs`. */
  UnsubscriptionError,
  /** @deprecated Import it from `rxjs`. */
  using,
  /** @deprecated Import it from `rxjs`. */
  VirtualAction,
  /** @deprecated Import it from `rxjs`. */
  VirtualTimeScheduler,
  /** @deprecated Import it from `rxjs`. */
  window,
  /** @deprecated Import it from `rxjs`. */
  windowCount,
  /** @deprecated Import it from `rxjs`. */
  windowTime,
  /** @deprecated Import it from `rxjs`. */
  windowToggle,
  /** @deprecated Import it from `rxjs`. */
  windowWhen,
  /** @deprecated Import it from `rxjs`. */
  withLatestFrom,
  /** @deprecated Import it from `rxjs`. */
  zip,
  /** @deprecated Import it from `rxjs`. */
  zipAll,
  /** @deprecated Import it from `rxjs`. */
  zipWith,
} from 'rxjs';
