import { h, render } from 'preact';
import { App } from './app.ts';
import { startTheme } from './theme.ts';

startTheme();
render(h(App, null), document.getElementById('app')!);
