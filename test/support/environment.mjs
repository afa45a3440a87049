import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

/**
 * jest's environment for Node, but that the globals of a test are plain properties. jest has them behind a Proxy, which is asked at
 * every `Math` and `Number`: what reckons much then takes about twice the time.
 */
export default class PlainGlobals extends TestEnvironment {
  constructor(...words) {
    const { createContext } = vm;
    // The one way in: the environment makes its context by itself, while it is constructed.
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(...words);
    } finally {
      vm.createContext = createContext;
    }
  }
}
